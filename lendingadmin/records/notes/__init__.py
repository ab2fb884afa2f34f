"""What people of the house write down about a borrower or a loan."""
