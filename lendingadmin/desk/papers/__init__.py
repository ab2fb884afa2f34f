"""Papers for customers: statement of account, notice, discharge letter, key facts, refusal."""
