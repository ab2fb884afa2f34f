"""Pages of people, of settings and of the audit trail."""
