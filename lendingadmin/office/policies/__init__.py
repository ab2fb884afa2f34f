"""Pages of a lender's settings."""
