"""People: the user model, the four roles, signing in, Django's admin for managers."""
