"""Papers for customers: statement of account, notice of what is owed, discharge letter."""
