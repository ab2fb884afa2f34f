"""Append-only trail of actions: the person, the action, the record and the outcome.

Import `record` from this package. Call it inside or outside a transaction or a request.
Call `record_about` for an entry about one of our rows, and `trail.transition` to change the
row together with the entry. To add several entries together, make them with `build_entry` and pass
them to `record_all`. A command of `manage.py` that changes something calls `record_command`.
"""

from lendingadmin.core.audit.trail import (
    build_entry,
    record,
    record_about,
    record_all,
    record_command,
)

__all__ = ["build_entry", "record", "record_about", "record_all", "record_command"]
