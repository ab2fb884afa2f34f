"""The pages of the service's records."""
