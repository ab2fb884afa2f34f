"""Template tags that only call the pure functions of `lendingadmin.web.display`."""
