"""The index of borrowers: finds a person by name, phone or number, and gives names to ids.

Nothing in it is readable by who holds the database alone: cards are encrypted, and what they are
found by is keyed hashes (SECURITY.md says what these tell).
"""
