"""Offers to a borrower, their contracts, and the loan that is created from an offer."""
