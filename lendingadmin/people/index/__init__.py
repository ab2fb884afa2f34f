"""The index of borrowers, which finds a person by name, phone or number, and gives names to ids.

A person who has only the database can't read the index, because cards are encrypted and found by
keyed hashes (SECURITY.md explains what these reveal).
"""
