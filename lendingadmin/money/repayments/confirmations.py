"""Confirmations from other areas that money arrived, such as a row of a network's statement.

Other areas also report which days their statements cover. A confirmation changes no state. It
proves that the money reached the network, but not that the service recorded the repayment.
"""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core.areas import collect

from .models import Repayment


class Confirmation(NamedTuple):
    """A row of a statement with the repayment's transaction id, and the address of its page.

    `amount` and `currency` are those of the row. `is_same` is True if all repayments with this id
    together have this amount and currency. Only a row of a complete statement is proof.
    """

    day: date | None
    row: int
    amount: Decimal
    currency: str
    is_same: bool
    is_complete: bool
    url: str


class AccountCover(NamedTuple):
    """An account of a network, and the requested days without a statement.

    `missing` has periods, each with its first and last day. It is empty if all days are covered.
    """

    network: str
    account: str
    missing: list[tuple[date, date]]


def list_confirmations(repayment: Repayment) -> list[Confirmation]:
    """Return the known confirmations that the money of a repayment arrived."""
    return [one for find in collect("confirmations") for one in find(repayment)]


def list_account_covers(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Return the known accounts of an app, each with the days without a statement."""
    return [one for read in collect("covers") for one in read(app_id, first, last)]
