"""Template tags, thin over the pure functions of `lendingadmin.web.display`."""
