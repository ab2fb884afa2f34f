"""Writes that are sent to the service only once: the journal of writes, and repayments."""
