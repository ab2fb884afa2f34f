"""Writes that are sent to the service at most once: idempotency keys, records and outcomes."""
