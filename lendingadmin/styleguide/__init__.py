"""`/styleguide/`: every token and every component in both themes, for developers."""
