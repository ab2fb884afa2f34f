"""Finding people: the index of borrowers, and search."""
