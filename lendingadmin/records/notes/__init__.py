"""Notes that people write about a borrower or a loan."""
