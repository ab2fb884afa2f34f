"""Events: their allowed types, their ids, and errors in their data (Spec: Events)."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from lendingadmin.sandbox.rules.instants import to_millis, write_timestamp
from lendingadmin.sandbox.rules.invalid import Invalid

CAPTURED = "personal_data.captured"


def read_event_type(value: object, field: str) -> str:
    """Return the type of an event (Spec: Events, 1).

    Raise Invalid for any other type, such as the other name in the guide. The error names the
    accepted type.
    """
    if value != CAPTURED:
        raise Invalid(field, f"must be {CAPTURED}")
    return CAPTURED


def check_past(moment: datetime, now: datetime, field: str) -> None:
    """Raise Invalid for a time in the future."""
    if moment > now:
        raise Invalid(field, "must not be in the future")


def build_event_id(account_id: str, event_type: str, timestamp: datetime) -> str:
    """Return the id of an event. The id is computed from the account, the type and the time."""
    parts = "\n".join((account_id, event_type, write_timestamp(timestamp)))
    return f"ev-{hashlib.sha256(parts.encode()).hexdigest()[:24]}"


def has_errors(data: Iterable[Mapping[str, Any]], timestamp: datetime) -> bool:
    """Return True if a value has a later time than the event that captured it."""
    captured = to_millis(timestamp)
    return any(
        value.get("timestamp", captured) > captured for one in data for value in one["values"]
    )
