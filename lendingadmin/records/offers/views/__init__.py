"""The pages of the offers area."""
