"""What has no page: the client in settings, people and roles, the trail, the worker, monitoring."""
