"""Search for people: the index of borrowers, and the find box."""
