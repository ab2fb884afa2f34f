"""People: the user model, the four roles, sign-in, erasure and retention."""
