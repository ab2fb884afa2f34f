"""Tags of papers."""
