"""The pages of a lender's settings."""
