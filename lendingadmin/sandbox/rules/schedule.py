"""Instalments on a reducing balance (Spec: LendingContract, Installment).

The interest of an instalment is the balance × nominal rate × its days / 365, rounded to the cent.
The last instalment has the rest of the principal, so that the total is exact.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from lendingadmin.sandbox.rules.amounts import ZERO, round_cents
from lendingadmin.sandbox.rules.rates import YEAR, compute_periodic


class Style(StrEnum):
    """Ways to divide the principal. They are the product types of this service.

    `term`: equal instalments (annuity). `flex`: equal parts of the principal, so that later
    instalments are smaller. `bullet`: principal and interest at the end.
    """

    TERM = "term"
    FLEX = "flex"
    BULLET = "bullet"


class Slot(NamedTuple):
    """Days of an instalment, including the first and the last day."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """Number of days with interest."""
        return (self.last - self.first).days + 1


class Parts(NamedTuple):
    """The parts of one instalment."""

    slot: Slot
    principal: Decimal
    interest: Decimal


def cut_slots(start: date, period_days: int, interval_days: int) -> list[Slot]:
    """Divide the period into successive intervals. The last interval may be shorter."""
    cuts = [*range(0, period_days, interval_days), period_days]
    return [
        Slot(start + timedelta(days=first), start + timedelta(days=last - 1))
        for first, last in pairwise(cuts)
    ]


def amortise(style: Style, principal: Decimal, nominal: Decimal, dates: list[Slot]) -> list[Parts]:
    """Divide the principal among the slots, with interest on the unpaid balance."""
    if style is Style.BULLET:
        days = sum(slot.days for slot in dates)
        whole = Slot(dates[0].first, dates[-1].last)
        return [Parts(whole, principal, round_cents(principal * nominal * days / YEAR))]
    return list(_reduce(style, principal, nominal, dates))


def _reduce(
    style: Style, principal: Decimal, nominal: Decimal, dates: list[Slot]
) -> Iterator[Parts]:
    balance = principal
    share = round_cents(principal / len(dates))
    level = compute_annuity(principal, compute_periodic(nominal, dates[0].days), len(dates))
    for slot in dates:
        interest = round_cents(balance * nominal * slot.days / YEAR)
        wanted = share if style is Style.FLEX else level - interest
        part = balance if slot is dates[-1] else min(balance, max(ZERO, wanted))
        yield Parts(slot, part, interest)
        balance -= part


def compute_annuity(principal: Decimal, rate: Decimal, count: int) -> Decimal:
    """Return the amount of each of `count` equal instalments, to the cent.

    The instalment is P·r / (1 − (1 + r)^−n), or P/n without interest.
    """
    if rate == 0:
        return round_cents(principal / count)
    return round_cents(principal * rate / (1 - (1 + rate) ** -count))
