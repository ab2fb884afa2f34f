"""What is sent to the service once: its idempotency key, its record, and what became of it."""
