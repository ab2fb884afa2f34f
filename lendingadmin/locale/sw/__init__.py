"""Its translations and formats."""
