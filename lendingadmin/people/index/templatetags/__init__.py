"""Template tags of the index of people."""
