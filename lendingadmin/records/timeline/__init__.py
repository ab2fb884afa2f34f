"""The timeline of a borrower or a loan, with items from the service and from our own areas."""
