"""Parts without a page: the service's client, people, roles, audit trail, worker and monitoring."""
