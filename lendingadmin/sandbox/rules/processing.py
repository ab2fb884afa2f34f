"""How far an event or an assessment has come, by the clock (Spec: States and transitions)."""

from datetime import datetime
from enum import IntEnum


class Processing(IntEnum):
    """The spec's three states of events and assessments."""

    WAITING = 0
    DONE = 1
    WITH_ERRORS = 2


def processing(ready_at: datetime, has_errors: bool, now: datetime) -> Processing:
    """The state at `now`: waiting until `ready_at`, then done, with or without errors."""
    if now < ready_at:
        return Processing.WAITING
    return Processing.WITH_ERRORS if has_errors else Processing.DONE
