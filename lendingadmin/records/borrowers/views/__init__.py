"""The pages of the borrowers area."""
