"""Repayment histories of loans up to a time, for assessments."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.sandbox.rules.accounts import (
    INTEREST,
    PRINCIPAL,
    Arrears,
    Line,
    Payment,
    charge,
    clear,
)
from lendingadmin.sandbox.rules.amounts import ZERO


class Due(NamedTuple):
    """An amount that was due, and the time when it was fully paid; None if it was not."""

    due: datetime
    cleared_at: datetime | None


class LoanHistory(NamedTuple):
    """A loan up to a time: each instalment that was due, and the time when the loan was repaid."""

    dues: tuple[Due, ...]
    principal: Decimal
    resolved_at: datetime | None


def build_history(
    lines: Iterable[Line], arrears: Arrears, payments: Iterable[Payment], until: datetime
) -> LoanHistory:
    """Return the history of a loan account until `until`, from its contract and repayments.

    An instalment counts as paid when its interest and principal are paid, even if penalties are
    not.
    """
    account = [line.copy() for line in lines]
    cleared: dict[int, datetime] = {}
    for payment in sorted(payments, key=lambda one: one.value_date):
        if payment.value_date > until:
            break
        charge(account, arrears, payment.value_date)
        clear(account, payment.amount, payment.value_date)
        for place, line in enumerate(account):
            if place not in cleared and _is_paid(line):
                cleared[place] = payment.value_date
    whole = len(cleared) == len(account)
    return LoanHistory(
        tuple(
            Due(line.due, cleared.get(place))
            for place, line in enumerate(account)
            if line.due <= until
        ),
        sum((line.owed[PRINCIPAL] for line in account), ZERO),
        max(cleared.values(), default=None) if whole else None,
    )


def build_sent_history(
    due: datetime | None, completed: datetime | None, principal: Decimal, until: datetime
) -> LoanHistory:
    """Return the history of a loan outside the sandbox, until `until` (Spec: LoanSummary).

    Only the due date of the complete loan and its completion are known, so the history has at most
    one instalment.
    """
    done = completed if completed is not None and completed <= until else None
    fallen = due is not None and due <= until
    dues = (Due(due, done),) if due is not None and fallen else ()
    return LoanHistory(dues, principal, done)


def count_days_behind(history: LoanHistory, until: datetime) -> int:
    """Return the full days since the oldest unpaid instalment was due; 0 if there is none."""
    oldest = min((one.due for one in history.dues if one.cleared_at is None), default=until)
    return (until - oldest) // timedelta(days=1)


def is_in_time(one: Due) -> bool:
    """Return True if the instalment was paid by the end of the day after its due date."""
    return one.cleared_at is not None and one.cleared_at <= one.due + timedelta(days=1)


def _is_paid(line: Line) -> bool:
    owed: Sequence[Decimal] = line.owed
    return all(line.paid[kind] >= owed[kind] for kind in (INTEREST, PRINCIPAL))
