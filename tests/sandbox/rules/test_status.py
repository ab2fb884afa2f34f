"""States by the clock (Spec: States and transitions)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.rules.status import (
    LoanStatus,
    Performance,
    build_due_window,
    count_days_late,
    find_loan_status,
    find_performance,
)

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("start", "settled", "status"),
    [
        (NOW + DAY, None, LoanStatus.PENDING),
        (NOW, None, LoanStatus.OPEN),
        (NOW - DAY, None, LoanStatus.OPEN),
        (NOW - DAY, NOW, LoanStatus.CLOSED),
    ],
)
def test_status(start: datetime, settled: datetime | None, status: LoanStatus) -> None:
    assert find_loan_status(start, settled, NOW) is status


@pytest.mark.parametrize(
    ("late", "status"),
    [(0, 1), (1, 2), (30, 2), (31, 3), (60, 3), (61, 4), (90, 4), (91, 5), (4000, 5)],
)
def test_performance(late: int, status: int) -> None:
    assert find_performance(late) == status


def test_days_late_are_days_of_the_calendar() -> None:
    due = datetime(2026, 3, 9, 23, 59, 59, 999000, tzinfo=UTC)
    assert count_days_late(due, due) == 0
    assert count_days_late(due, due + timedelta(milliseconds=1)) == 1
    assert count_days_late(NOW + DAY, NOW) == 0
    assert count_days_late(None, NOW) == 0


@given(st.integers(-200 * 24, 200 * 24), st.sampled_from(Performance))
def test_the_window_of_a_filter_is_what_the_loan_says(hours: int, status: Performance) -> None:
    due = NOW + timedelta(hours=hours)
    since, before = build_due_window(status, NOW.date())
    inside = (since is None or due >= since) and (before is None or due < before)
    assert inside == (find_performance(count_days_late(due, NOW)) is status)
