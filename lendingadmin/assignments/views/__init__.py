"""Pages of assignments."""
