"""Pages of the service's records."""
