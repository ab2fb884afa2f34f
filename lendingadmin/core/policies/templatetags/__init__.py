"""Tags of the lender's rules."""
