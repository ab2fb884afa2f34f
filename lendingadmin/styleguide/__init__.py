"""Page `/styleguide/` for developers: every token and every component in both themes."""
