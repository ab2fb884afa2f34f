"""Whom to call, what was said, what was promised: kept here, and never sent to the service."""
