"""The pages of the records that the service holds."""
