"""A loan account: instalments, penalties after the grace period, repayments, and its state.

Amounts are Decimals to the cent. Lists of amounts have one for each kind, in the order in which a
repayment pays the kinds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.sandbox.rules.amounts import ZERO, round_cents
from lendingadmin.sandbox.rules.status import count_days_late

KINDS = ("penalty", "fees", "interest", "principal")
PENALTY, FEES, INTEREST, PRINCIPAL = range(4)
PENALTY_WINDOW = timedelta(days=30)
MOST_PENALTIES = 6  # for each instalment, so that a debt does not grow for ever


class Arrears(NamedTuple):
    """Cost of late payment, as shares of an instalment's overdue principal.

    `rate` is charged at the end of the grace period, and then every 30 days. `late_fee` is charged
    once, at the end of the grace period.
    """

    rate: Decimal
    grace: timedelta
    late_fee: Decimal


class Payment(NamedTuple):
    """A repayment: the time when it takes effect, and its amount."""

    value_date: datetime
    amount: Decimal


@dataclass(slots=True)
class Line:
    """An instalment: the amounts owed and paid, by kind, in the order of KINDS."""

    sequence_no: int
    start: datetime
    due: datetime
    owed: list[Decimal]
    paid: list[Decimal] = field(default_factory=lambda: [ZERO] * 4)
    charges: int = 0

    def unpaid(self) -> Decimal:
        """Return the amount of this instalment that must still be paid."""
        return sum(self.owed, ZERO) - sum(self.paid, ZERO)

    def copy(self) -> "Line":
        """Return a copy of the instalment that can be changed separately."""
        return Line(
            self.sequence_no, self.start, self.due, self.owed[:], self.paid[:], self.charges
        )


@dataclass(slots=True)
class Account:
    """A loan account after its repayments. `excess` is the amount that was paid too much."""

    lines: list[Line]
    excess: Decimal = ZERO
    resolved_at: datetime | None = None


class Position(NamedTuple):
    """State of a loan at a time. `next_line` is the first future instalment that is not paid."""

    balances: dict[str, dict[str, Decimal]]
    days_late: int
    next_line: Line | None
    oldest_due: datetime | None


def replay(lines: Iterable[Line], arrears: Arrears, payments: Iterable[Payment]) -> Account:
    """Return the account after these repayments, the earliest value date first.

    Each repayment is effective from its value date, even if it was recorded later. `resolved_at` is
    the value date of the repayment that paid the last cent.
    """
    account = Account([line.copy() for line in lines])
    for payment in sorted(payments, key=lambda one: one.value_date):
        if account.resolved_at is None:
            charge(account.lines, arrears, payment.value_date)
        account.excess += clear(account.lines, payment.amount, payment.value_date)
        if account.resolved_at is None and is_clear(account.lines):
            account.resolved_at = payment.value_date
    return account


def is_clear(lines: Iterable[Line]) -> bool:
    """Return True if nothing is owed any more."""
    return all(line.paid == line.owed for line in lines)


def charge(lines: Iterable[Line], arrears: Arrears, until: datetime) -> None:
    """Add to each instalment the penalties and late fees that were due before `until`."""
    for line in lines:
        while line.charges < MOST_PENALTIES:
            moment = line.due + arrears.grace + line.charges * PENALTY_WINDOW
            overdue = line.owed[PRINCIPAL] - line.paid[PRINCIPAL]
            if moment >= until or overdue <= 0:
                break
            line.owed[PENALTY] += round_cents(overdue * arrears.rate)
            if line.charges == 0:
                line.owed[FEES] += round_cents(overdue * arrears.late_fee)
            line.charges += 1


def clear(lines: Sequence[Line], amount: Decimal, at: datetime) -> Decimal:
    """Pay the amounts owed with `amount`; return the amount that is left.

    First it pays amounts that are due: penalties, then fees, interest and principal; within a kind,
    the oldest instalment first. Then it pays future instalments, one after the other, in the same
    order of kinds. So an early payment does not pay the interest of all instalments first.
    """
    ordered = sorted(lines, key=lambda line: line.due)
    fallen = [line for line in ordered if line.due <= at]
    coming = [line for line in ordered if line.due > at]
    parts = [(line, kind) for kind in range(4) for line in fallen]
    parts += [(line, kind) for line in coming for kind in range(4)]
    for line, kind in parts:
        if amount <= 0:
            break
        paid = min(amount, line.owed[kind] - line.paid[kind])
        line.paid[kind] += paid
        amount -= paid
    return amount


def find_oldest_due(lines: Sequence[Line]) -> datetime | None:
    """Return the due time of the oldest instalment that is not fully paid.

    Return None if all instalments are paid.
    """
    return min((line.due for line in lines if line.paid != line.owed), default=None)


def find_position(lines: Sequence[Line], arrears: Arrears, now: datetime) -> Position:
    """Add the penalties until `now` to the lines, and return the state at `now`."""
    charge(lines, arrears, now)
    unpaid = [line for line in lines if line.paid != line.owed]
    oldest = find_oldest_due(lines)
    coming = [line for line in unpaid if line.due >= now]
    return Position(
        balances=sum_balances(lines, now),
        days_late=count_days_late(oldest, now),
        next_line=min(coming, key=lambda line: line.due, default=None),
        oldest_due=oldest,
    )


def sum_balances(lines: Sequence[Line], now: datetime) -> dict[str, dict[str, Decimal]]:
    """Return the five groups (Spec: LoanBalances). `repayment` is the sum of the other four.

    total = paid + unpaid. `due` is the amount that was due before `now`, paid or not, and `overdue`
    is its unpaid part.
    """
    total, paid, due, overdue = ([ZERO] * 4 for _ in range(4))
    for line in lines:
        fallen = line.due < now
        for kind in range(4):
            owed, cleared = line.owed[kind], line.paid[kind]
            total[kind] += owed
            paid[kind] += cleared
            if fallen:
                due[kind] += owed
                overdue[kind] += owed - cleared
    groups = {
        name: _build_group(due[kind], paid[kind], total[kind], overdue[kind])
        for kind, name in enumerate(KINDS)
    }
    groups["repayment"] = _build_group(
        sum(due, ZERO), sum(paid, ZERO), sum(total, ZERO), sum(overdue, ZERO)
    )
    return groups


def _build_group(
    due: Decimal, paid: Decimal, total: Decimal, overdue: Decimal
) -> dict[str, Decimal]:
    return {
        "due": due,
        "paid": paid,
        "total": total,
        "unpaid": total - paid,
        "overdue": overdue,
    }
