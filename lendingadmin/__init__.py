"""An admin dashboard for a lending service."""

__version__ = "0.1.0"
