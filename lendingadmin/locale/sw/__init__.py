"""Swahili translations and formats."""
