"""Append-only trail of actions: the person, the action, the record and the outcome.

Import `record` from here; it may be called inside a transaction, with or without a request. For an
entry about one of our rows there is `record_about`, and where the row changes with it
`transitions.transition`. To add several entries together, make them with `build_entry` and pass
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
