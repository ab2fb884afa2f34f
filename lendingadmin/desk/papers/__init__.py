"""Papers for customers: statement of account, discharge letter, key facts, refusal."""
