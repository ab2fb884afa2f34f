"""The pages of collection sheets."""
