"""Template tags of the audit trail."""
