"""Writing to the service once: the journal of writes, and repayments."""
