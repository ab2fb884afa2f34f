"""The pages of people and of the audit trail."""
