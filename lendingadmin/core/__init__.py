"""Parts without a page: client in settings, people, roles, audit trail, worker, monitoring."""
