"""Exact totals of the loans of a snapshot, and amounts minus later repayments."""

from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, DecimalField, Func, QuerySet, Sum

from .amounts import exactly
from .models import SnapshotLoan
from .recorded_since import RecordedSince

_SUMMED = (
    *("overdue", "outstanding", "next_due_amount"),
    *("principal", "principal_outstanding", "paid_since_last"),
)


class Total(NamedTuple):
    """The sum of the reported amounts, and the number of loans without a reported amount."""

    amount: Decimal
    not_reported: int


class Totals(NamedTuple):
    """Number of loans of a list, and their sums by column."""

    loans: int
    sums: dict[str, Total]


def correct_amounts(
    loan: SnapshotLoan, recorded: RecordedSince | None
) -> dict[str, Decimal | None]:
    """Return the amounts of a loan by column, minus the repayments since the snapshot.

    A repayment pays the overdue amount first. Only the overdue, outstanding and next due amounts
    are corrected.
    """
    amounts: dict[str, Decimal | None] = {name: getattr(loan, name) for name in _SUMMED}
    if recorded is None or not recorded.amount:
        return amounts
    with exactly():
        amounts["outstanding"] = _less(loan.outstanding, recorded.amount)
        amounts["overdue"] = _less(loan.overdue, recorded.amount)
        if loan.overdue is not None:
            rest = max(recorded.amount - max(loan.overdue, Decimal(0)), Decimal(0))
            amounts["next_due_amount"] = _less(loan.next_due_amount, rest)
    return amounts


def sum_up(rows: QuerySet[SnapshotLoan]) -> Totals:
    """Return the number of loans and their exact sums.

    The amounts are stored as text. PostgreSQL adds them exactly. SQLite would add them as floats,
    so they are added here.
    """
    if connection.vendor == "postgresql":
        return _sum_in_database(rows)
    sums, missing, loans = [Decimal(0)] * len(_SUMMED), [0] * len(_SUMMED), 0
    with exactly():
        for amounts in rows.order_by().values_list(*_SUMMED).iterator(chunk_size=5_000):
            loans += 1
            for at, amount in enumerate(amounts):
                if amount is None:
                    missing[at] += 1
                else:
                    sums[at] += amount
    return Totals(loans, dict(zip(_SUMMED, map(Total, sums, missing), strict=True)))


def _sum_in_database(rows: QuerySet[SnapshotLoan]) -> Totals:
    asked: dict[str, Any] = {"loans": Count("pk")}
    for name in _SUMMED:
        amount = Func(name, template="CAST(%(expressions)s AS numeric)")
        asked[f"sum_{name}"] = Sum(amount, output_field=DecimalField())
        asked[f"known_{name}"] = Count(name)
    found = rows.order_by().aggregate(**asked)
    sums = {
        name: Total(found[f"sum_{name}"] or Decimal(0), found["loans"] - found[f"known_{name}"])
        for name in _SUMMED
    }
    return Totals(found["loans"], sums)


def _less(amount: Decimal | None, paid: Decimal) -> Decimal | None:
    """Return the rest of an amount after a payment. A credit or None does not change."""
    if amount is None or amount <= 0:
        return amount
    return max(amount - paid, Decimal(0))
