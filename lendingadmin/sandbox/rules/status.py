"""States of loans, events and assessments at a time (Spec: States and transitions).

README.md lists the numbers.
"""

from datetime import date, datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from lendingadmin.sandbox.rules.instants import day_start


class LoanStatus(IntEnum):
    """State of a loan: pending until its start date, then open, and closed after its settlement."""

    PENDING = 1
    OPEN = 2
    CLOSED = 3


class Performance(IntEnum):
    """Performance of an open loan. A loan that is not open counts as performing."""

    PERFORMING = 1
    WATCH = 2
    SUBSTANDARD = 3
    DOUBTFUL = 4
    LOSS = 5


# Most days late for each status. A loan that is later than all of these is a loss.
_REACH = {
    Performance.PERFORMING: 0,
    Performance.WATCH: 30,
    Performance.SUBSTANDARD: 60,
    Performance.DOUBTFUL: 90,
}


class Processing(IntEnum):
    """States of events and assessments in the spec."""

    WAITING = 0
    DONE = 1
    WITH_ERRORS = 2


class DueWindow(NamedTuple):
    """Period [since, before) of the oldest unpaid due date of a loan; None sets no limit."""

    since: datetime | None
    before: datetime | None


def find_loan_status(start: datetime, settled: datetime | None, now: datetime) -> LoanStatus:
    """Return the state of a loan at `now`."""
    if settled is not None:
        return LoanStatus.CLOSED
    return LoanStatus.PENDING if start > now else LoanStatus.OPEN


def count_days_late(oldest_due: datetime | None, now: datetime) -> int:
    """Return the calendar days (UTC) since the oldest unpaid due date; 0 if there is none."""
    if oldest_due is None:
        return 0
    return max(0, (now.date() - oldest_due.date()).days)


def find_performance(late: int) -> Performance:
    """Return the performance status for a number of days late."""
    for status, reach in _REACH.items():
        if late <= reach:
            return status
    return Performance.LOSS


def build_due_window(status: Performance, today: date) -> DueWindow:
    """Return the window for the oldest unpaid due date of loans with this performance.

    This is the inverse of `find_performance(count_days_late(…))`. With it a filter is a range of
    one column.
    """
    reach = _REACH.get(status)
    shorter = _REACH.get(Performance(status - 1)) if status > Performance.PERFORMING else None
    return DueWindow(
        since=None if reach is None else day_start(today - timedelta(days=reach)),
        before=None if shorter is None else day_start(today - timedelta(days=shorter)),
    )


def find_processing(ready_at: datetime, has_errors: bool, now: datetime) -> Processing:
    """Return the state at `now`: waiting until `ready_at`, then done, with or without errors."""
    if now < ready_at:
        return Processing.WAITING
    return Processing.WITH_ERRORS if has_errors else Processing.DONE
