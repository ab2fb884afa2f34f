"""Papers for customers: the statement of account and the discharge letter of a loan."""
