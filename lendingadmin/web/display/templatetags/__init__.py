"""Template tags: thin wrappers of the pure functions of `lendingadmin.web.display`."""
