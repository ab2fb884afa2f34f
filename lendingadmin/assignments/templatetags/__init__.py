"""Tags of assignments."""
