"""Queues, calls and promises. This dashboard saves them and never sends them to the service."""
