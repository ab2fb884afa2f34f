"""Pages of people: sign-in, profiles and accounts."""
