"""How a loan stands at a moment: balances, arrears and what comes next (Spec: Loan)."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.ledger import KINDS, Arrears, Line, charge
from lendingadmin.sandbox.rules.status import days_late

Balance = dict[str, Decimal]


class Position(NamedTuple):
    """A loan at a moment. `next_line` is the first instalment still to come that is not paid."""

    balances: dict[str, Balance]
    days_late: int
    next_line: Line | None
    oldest_due: datetime | None


def oldest_unpaid(lines: Sequence[Line]) -> datetime | None:
    """When the oldest instalment that is not paid in full falls (or fell) due."""
    return min((line.due for line in lines if line.paid != line.owed), default=None)


def position(lines: Sequence[Line], arrears: Arrears, now: datetime) -> Position:
    """The position at `now`; penalties up to then are added to the lines that were passed in."""
    charge(lines, arrears, now)
    unpaid = [line for line in lines if line.paid != line.owed]
    oldest = min((line.due for line in unpaid), default=None)
    coming = [line for line in unpaid if line.due >= now]
    return Position(
        balances=balances(lines, now),
        days_late=days_late(oldest, now),
        next_line=min(coming, key=lambda line: line.due, default=None),
        oldest_due=oldest,
    )


def balances(lines: Sequence[Line], now: datetime) -> dict[str, Balance]:
    """The five groups (Spec: LoanBalances); `repayment` is the sum of the other four.

    total = paid + unpaid. `due` is what has fallen due by now, paid or not, and `overdue` the
    part of it that is not paid.
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
        name: _group(due[kind], paid[kind], total[kind], overdue[kind])
        for kind, name in enumerate(KINDS)
    }
    groups["repayment"] = _group(
        sum(due, ZERO), sum(paid, ZERO), sum(total, ZERO), sum(overdue, ZERO)
    )
    return groups


def _group(due: Decimal, paid: Decimal, total: Decimal, overdue: Decimal) -> Balance:
    return {
        "due": due,
        "paid": paid,
        "total": total,
        "unpaid": total - paid,
        "overdue": overdue,
    }
