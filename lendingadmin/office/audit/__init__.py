"""Page of the audit trail."""
