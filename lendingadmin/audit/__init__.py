"""Who did what, on which record, with what outcome: an append-only trail.

Import `record` from here; it may be called inside a transaction, with or without a request. A
command of `manage.py` that changes something calls `record_command`.
"""

from lendingadmin.audit.trail import record, record_command

__all__ = ["record", "record_command"]
