"""Template tags that know the request and the person."""
