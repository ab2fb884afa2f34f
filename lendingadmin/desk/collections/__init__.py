"""Queues, calls and promises. They are saved in this dashboard and never sent to the service."""
