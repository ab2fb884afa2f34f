"""The pages of what the service holds."""
