"""French translations and formats."""
