"""The pages of the events area."""
