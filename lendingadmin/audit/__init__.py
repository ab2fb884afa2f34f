"""Who did what, on which record, with what outcome: an append-only trail.

Import `record` from here; it may be called inside a transaction, with or without a request.
"""

from lendingadmin.audit.trail import record

__all__ = ["record"]
