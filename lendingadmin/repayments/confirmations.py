"""What other areas know of the money behind a repayment, such as a row of a network's statement.

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


Find = Callable[[Repayment], list[Confirmation]]
_FINDERS: list[Find] = []


def register_confirmations(find: Find) -> None:
    """Let the pages of a repayment say what an area found of its money."""
    if find not in _FINDERS:
        _FINDERS.append(find)


def list_confirmations(repayment: Repayment) -> list[Confirmation]:
    """What is known of the money behind a repayment."""
    return [one for find in _FINDERS for one in find(repayment)]
