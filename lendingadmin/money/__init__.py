"""Writes that are sent to the service at most once: the journal of writes, and repayments."""
