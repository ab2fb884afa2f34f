"""Template tags of search."""
