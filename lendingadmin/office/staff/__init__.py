"""The pages of people: sign-in, profiles, accounts."""
