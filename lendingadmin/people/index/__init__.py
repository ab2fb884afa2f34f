"""The index of borrowers: finds a person by name, phone or number, and gives names to ids.

A person who has only the database can't read it: cards are encrypted, and they are found by
keyed hashes (SECURITY.md says what these reveal).
"""
