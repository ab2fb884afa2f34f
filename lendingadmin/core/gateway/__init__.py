"""Only connection between the dashboard and the Lending Service.

This package makes the client from settings.
"""

from lendingadmin.core.gateway.clients import app, calls, client
from lendingadmin.core.gateway.health import find_clock_offset, find_silence, is_outage
from lendingadmin.core.gateway.lending_apps import LendingApp, lending_app

__all__ = [
    "LendingApp",
    "app",
    "calls",
    "client",
    "find_clock_offset",
    "find_silence",
    "is_outage",
    "lending_app",
]
