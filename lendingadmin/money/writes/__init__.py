"""Writes that are sent to the service once: idempotency keys, records and outcomes."""
