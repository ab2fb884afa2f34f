"""Fixed data: the project's products and the service's assessment types."""
