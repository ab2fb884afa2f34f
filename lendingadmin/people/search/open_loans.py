"""How many open loans people have, and what is overdue on them, where that was counted.

Loans are not known on this floor: the area that counts them names a `Reader`.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core.areas import collect


class OpenLoans(NamedTuple):
    """A borrower's open loans: how many, what is overdue on them, and when they were counted.

    `overdue` is None where the service did not report it of each of them.
    """

    open_count: int
    overdue: Decimal | None
    counted_at: datetime


class Reader(NamedTuple):
    """Gives the open loans of borrowers of an app by id, to people with the permission.

    It leaves out borrowers of whom they are not known.
    """

    permission: str
    read: Callable[[str, Collection[str]], dict[str, OpenLoans]]


def read_open_loans(
    may: Callable[[str], bool], app_id: str, borrower_ids: Collection[str]
) -> dict[str, OpenLoans]:
    """The open loans of these borrowers by id, as far as they are known and may be seen."""
    found: dict[str, OpenLoans] = {}
    for one in collect("open_loans"):
        if borrower_ids and may(one.permission):
            found |= one.read(app_id, borrower_ids)
    return found


def is_in_arrears(app_id: str, borrower_id: str) -> bool:
    """Return whether a borrower has an overdue amount, by the last update.

    If the amount is unknown, the answer is yes. The answer decides what stays masked, so it
    needs no right; the amount is never shown.
    """
    found = read_open_loans(lambda _permission: True, app_id, [borrower_id]).get(borrower_id)
    return found is not None and (found.overdue is None or found.overdue > 0)
