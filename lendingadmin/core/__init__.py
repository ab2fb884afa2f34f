"""Parts that show no page: the service's client, people, roles, audit trail, worker, monitoring."""
