"""Open loans of people, and their overdue amounts, from the newest snapshot.

This package does not read loans. The area that has the snapshots declares a `Reader`.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core.areas import collect


class OpenLoans(NamedTuple):
    """A borrower's open loans: their number and amounts, and the time of reading.

    `overdue` and `owed` are None if one loan lacks the amount. `days_late` is the highest number
    among the loans; None if no loan has it.
    """

    open_count: int
    owed: Decimal | None
    overdue: Decimal | None
    counted_at: datetime
    days_late: int | None = None

    @classmethod
    def add_up(cls, loans: Collection["Standing"], counted_at: datetime) -> "OpenLoans":
        """Return the sums of a borrower's open loans."""
        owed, overdue, days = zip(*loans, strict=True) if loans else ((), (), ())
        late = [one for one in days if one is not None]
        return cls(len(loans), _add(owed), _add(overdue), counted_at, max(late, default=None))


class Standing(NamedTuple):
    """The unpaid and overdue amounts of a loan, and its days late; None if not reported."""

    owed: Decimal | None
    overdue: Decimal | None
    days_late: int | None


def _add(amounts: Collection[Decimal | None]) -> Decimal | None:
    """Return the sum; None if one of the amounts is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None


class Reader(NamedTuple):
    """A function that reads the open loans of borrowers, by borrower id, and its permission.

    `read` leaves out borrowers whose loans are not known.
    """

    permission: str
    read: Callable[[str, Collection[str]], dict[str, OpenLoans]]


def read_open_loans(
    may: Callable[[str], bool], app_id: str, borrower_ids: Collection[str]
) -> dict[str, OpenLoans]:
    """Return the open loans of these borrowers by id, if they are known and may be seen."""
    found: dict[str, OpenLoans] = {}
    for one in collect("open_loans"):
        if borrower_ids and may(one.permission):
            found |= one.read(app_id, borrower_ids)
    return found


def is_in_arrears(app_id: str, borrower_id: str) -> bool:
    """Return True if a borrower's overdue amount in the newest snapshot is positive or unknown.

    Return False if the borrower has no known loans. No right is needed, because the amount is never
    shown. The result only decides which fields are masked.
    """
    found = read_open_loans(lambda _permission: True, app_id, [borrower_id]).get(borrower_id)
    return found is not None and (found.overdue is None or found.overdue > 0)
