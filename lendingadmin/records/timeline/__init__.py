"""One timeline of a borrower or a loan, of what all areas know: the service's, and our own."""
