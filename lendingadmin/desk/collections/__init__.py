"""Queues, calls and promises, saved in this dashboard and never sent to the service."""
