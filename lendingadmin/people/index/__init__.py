"""The index of borrowers. It finds people by name, phone or number, and the name for an id.

A person who has only the database can't read the index: cards are encrypted, and the search uses
keyed hashes. SECURITY.md explains what these reveal.
"""
