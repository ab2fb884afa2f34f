"""Confirmations from other areas that money arrived, such as a row of a network's statement.

They also say which days such statements cover. A confirmation proves that money reached the
network, not that the service has it, so it changes no state.
"""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core.areas import collect

from .models import Repayment


class Confirmation(NamedTuple):
    """A row of a statement with the repayment's transaction id, and the address of its page.

    `amount` and `currency` are those of the row. `is_same` is True where everything recorded
    with this id adds up to that amount. Only a complete statement confirms; an incomplete one
    only shows that it has the row.
    """

    day: date | None
    row: int
    amount: Decimal
    currency: str
    is_same: bool
    is_complete: bool
    url: str


class AccountCover(NamedTuple):
    """An account of a network, and the requested days that none of its statements covers.

    `missing` holds stretches of days, first and last included; it is empty where all are
    covered.
    """

    network: str
    account: str
    missing: list[tuple[date, date]]


def list_confirmations(repayment: Repayment) -> list[Confirmation]:
    """Return the known confirmations of the money behind a repayment."""
    return [one for find in collect("confirmations") for one in find(repayment)]


def list_account_covers(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Return each known account of an app, with those of the days that no statement covers."""
    return [one for read in collect("covers") for one in read(app_id, first, last)]
