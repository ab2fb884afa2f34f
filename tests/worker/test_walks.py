"""What a walk sees of the order of a list."""

from datetime import UTC, datetime

import pytest

from lendingadmin.core.worker.walks import find_last_made
from lendingadmin.lending.values import Borrower


def at(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "before", "is_first", "last"),
    [
        ((9, 8, 8, 7), None, True, 7),
        ((7, 8), None, True, None),
        # A first page of one moment shows no order.
        ((8, 8), None, True, None),
        ((), None, True, None),
        ((9, None, 7), None, True, None),
        ((6, 5), 7, False, 5),
        # Two were added meanwhile, so the page begins with the last two of the one before.
        ((8, 7, 6), 7, False, 6),
        ((9, 8), 7, False, None),
        ((5, 6), 7, False, None),
        ((6, 5), None, False, None),
    ],
)
def test_the_newest_come_first_or_not(
    days: tuple[int | None, ...], before: int | None, is_first: bool, last: int | None
) -> None:
    items = [Borrower({"createdAt": at(day).isoformat() if day else None}) for day in days]
    found = find_last_made(items, at(before) if before else None, is_first=is_first)
    assert found == (at(last) if last else None)
