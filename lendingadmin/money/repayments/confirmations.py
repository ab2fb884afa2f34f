"""What other areas know of the money behind a repayment, such as a row of a network's statement,
and which days such statements cover.

It proves that money reached the network, not that the service has it: it changes no state.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from .models import Repayment


class Confirmation(NamedTuple):
    """A row of a statement that bears the repayment's transaction id, and where it is shown.

    `amount` and `currency` are what the row says; `is_same` where all that is recorded with this id
    comes to that.
    """

    day: date | None
    row: int
    amount: Decimal
    currency: str
    is_same: bool
    url: str


class AccountCover(NamedTuple):
    """An account of a network, and which of the days that were asked for no statement of it covers:
    stretches of days, first and last included; none where all are covered.
    """

    network: str
    account: str
    missing: list[tuple[date, date]]


Find = Callable[[Repayment], list[Confirmation]]
ReadCovers = Callable[[str, date, date], list[AccountCover]]
_FINDERS: list[Find] = []
_READERS: list[ReadCovers] = []


def register_confirmations(find: Find) -> None:
    """Let the pages of a repayment say what an area found of its money."""
    if find not in _FINDERS:
        _FINDERS.append(find)


def list_confirmations(repayment: Repayment) -> list[Confirmation]:
    """What is known of the money behind a repayment."""
    return [one for find in _FINDERS for one in find(repayment)]


def register_covers(read: ReadCovers) -> None:
    """Let the page of a gap say which of an app's days, first to last, statements cover."""
    if read not in _READERS:
        _READERS.append(read)


def list_account_covers(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Each known account of an app, and the days of these that no statement of it covers."""
    return [one for read in _READERS for one in read(app_id, first, last)]
