"""Reads what a snapshot keeps of a loan; None for a value that is missing or malformed."""

from collections.abc import Iterable
from datetime import tzinfo
from decimal import ROUND_FLOOR, Decimal

from lendingadmin.display.numbers import number
from lendingadmin.display.times import contract_date
from lendingadmin.lending import loan_math
from lendingadmin.lending.values import (
    Balance,
    Loan,
    LoanBalances,
    LoanSchedule,
    Malformed,
    status_key,
)

from .amounts import exactly
from .models import LONGEST_ID, LONGEST_STATUS, SnapshotLoan

# What is read of a loan, by the wire's names.
KEYS = (
    *("accountId", "uid", "loanAmount", "balances", "schedule"),
    *("status", "performanceStatus", "startDate", "createdAt"),
)
_RANKED = ("principal", "outstanding", "principal_outstanding", "overdue", "paid_since_last")
_MOST_DAYS = 2**31 - 1


def read_rows(
    items: Iterable[Loan | Malformed], zone: tzinfo
) -> tuple[list[tuple[SnapshotLoan, Loan]], int]:
    """A row for each loan of a page, the first of those with the same id; how many had none."""
    found: dict[str, tuple[SnapshotLoan, Loan]] = {}
    unreadable = 0
    with exactly():
        for item in items:
            key = "" if isinstance(item, Malformed) else loan_math.key_of(item)
            if isinstance(item, Malformed) or not 0 < len(key) <= LONGEST_ID:
                unreadable += 1
            elif key not in found:
                found[key] = (_row(key, item, zone), item)
    return list(found.values()), unreadable


def _row(key: str, loan: Loan, zone: tzinfo) -> SnapshotLoan:
    return SnapshotLoan(
        account_id=key,
        status=_key(loan.status),
        performance=_key(loan.performance_status),
        start_day=contract_date(loan.start_date, zone),
        days_late=_whole(
            loan.schedule.days_late if isinstance(loan.schedule, LoanSchedule) else None
        ),
        principal=number(loan.loan_amount),
        outstanding=number(loan_math.total_of(loan, "unpaid")),
        principal_outstanding=_principal_outstanding(loan),
        overdue=number(loan_math.total_of(loan, "overdue")),
        paid=number(loan_math.total_of(loan, "paid")),
    )


def _key(status: object) -> str:
    """A number or a word. Anything else is left out: it may be personal, and figures hold it."""
    if isinstance(status, Malformed):
        return ""
    # PostgreSQL takes no NUL in a text, nor in the JSON of the figures.
    return status_key(status).replace("\x00", "")[:LONGEST_STATUS]


def set_ranks(row: SnapshotLoan) -> None:
    """Set the values by which lists are ordered, once all amounts of the row are known."""
    for name in _RANKED:
        amount = getattr(row, name)
        setattr(row, f"{name}_rank", float(amount) if amount else None)


def _principal_outstanding(loan: Loan) -> Decimal | None:
    part = loan.balances.principal if isinstance(loan.balances, LoanBalances) else None
    return number(part.unpaid) if isinstance(part, Balance) else None


def _whole(value: object) -> int | None:
    """Days rounded down, so that they compare with whole days as the service's number does."""
    days = number(value)
    if days is None or abs(days) > _MOST_DAYS:
        return None
    return int(days.to_integral_value(ROUND_FLOOR))
