"""Template tags of finding."""
