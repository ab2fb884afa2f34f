"""Offers: what a borrower may have, the contracts it would lead to, and the loan made of one."""
