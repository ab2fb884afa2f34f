"""Management commands of the lender's rules."""
