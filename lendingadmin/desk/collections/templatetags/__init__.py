"""Template tags of the area."""
