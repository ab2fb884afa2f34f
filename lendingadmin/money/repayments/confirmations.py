"""What other areas know of the money behind a repayment, such as a row of a network's statement,
and which days such statements cover.

It proves that money reached the network, not that the service has it: it changes no state.
"""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core.areas import collect

from .models import Repayment


class Confirmation(NamedTuple):
    """A row of a statement that bears the repayment's transaction id, and where it is shown.

    `amount` and `currency` are what the row says; `is_same` where all that is recorded with this id
    comes to that. Only a complete statement confirms; of another it is known that it has the row.
    """

    day: date | None
    row: int
    amount: Decimal
    currency: str
    is_same: bool
    is_complete: bool
    url: str

    @property
    def confirms(self) -> bool:
        """Whether it proves that the repayment reached the network."""
        return self.is_same and self.is_complete


class AccountCover(NamedTuple):
    """An account of a network, and which of the days that were asked for no statement of it covers:
    stretches of days, first and last included; none where all are covered.
    """

    network: str
    account: str
    missing: list[tuple[date, date]]


def list_confirmations(repayment: Repayment) -> list[Confirmation]:
    """What is known of the money behind a repayment."""
    return [one for find in collect("confirmations") for one in find(repayment)]


def list_account_covers(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Each known account of an app, and the days of these that no statement of it covers."""
    return [one for read in collect("covers") for one in read(app_id, first, last)]
