"""`/styleguide/`: every token and every component in both themes, while one develops."""
