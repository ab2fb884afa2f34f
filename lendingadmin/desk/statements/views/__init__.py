"""The pages of the statement desk."""
