"""Offers to a borrower, the contracts that follow, and the loan created from an offer."""
