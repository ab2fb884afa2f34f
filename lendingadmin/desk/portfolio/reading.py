"""Read the values of loans for a snapshot. A missing or malformed value is None."""

from collections.abc import Iterable, Mapping
from datetime import date, tzinfo
from decimal import Decimal

from lendingadmin.lending import loan_math
from lendingadmin.lending.values import (
    Balance,
    Loan,
    LoanBalances,
    Malformed,
    status_key,
)
from lendingadmin.web.display.numbers import number
from lendingadmin.web.display.statuses import says_open
from lendingadmin.web.display.times import contract_date

from .amounts import exactly
from .models import LONGEST_ID, LONGEST_STATUS, SnapshotLoan

# The keys of a loan that a snapshot reads, as the service names them.
KEYS = (
    *("accountId", "uid", "borrowerId", "productId", "loanAmount", "balances", "schedule"),
    *("status", "performanceStatus", "startDate", "createdAt", "settlementDate", "result"),
)
_RANKED = ("principal", "outstanding", "principal_outstanding", "overdue", "paid_since_last")


def read_rows(
    items: Iterable[Loan | Malformed], zone: tzinfo, day: date, words: Mapping[str, str]
) -> tuple[list[tuple[SnapshotLoan, Loan]], int]:
    """Return a row for each loan of a page, and the number of items without a usable id.

    If several loans have the same id, the first one is used. `day` is the day of the snapshot in
    the lender's time zone. `words` are the words for the numbers of a status.
    """
    found: dict[str, tuple[SnapshotLoan, Loan]] = {}
    unreadable = 0
    with exactly():
        for item in items:
            key = "" if isinstance(item, Malformed) else loan_math.key_of(item)
            if isinstance(item, Malformed) or not 0 < len(key) <= LONGEST_ID:
                unreadable += 1
            elif key not in found:
                row = _row(key, item, zone)
                _set_open(row, item, day, words)
                found[key] = (row, item)
    return list(found.values()), unreadable


def _row(key: str, loan: Loan, zone: tzinfo) -> SnapshotLoan:
    coming = loan_math.next_of(loan)
    return SnapshotLoan(
        account_id=key,
        borrower_id=_id(loan_math.borrower_of(loan)),
        product_id=_id(loan_math.product_of(loan)),
        status=_key(loan.status),
        performance=_key(loan.performance_status),
        start_day=contract_date(loan.start_date, zone),
        settlement_day=contract_date(loan.settlement_date, zone),
        days_late=loan_math.days_late_of(loan),
        next_due_day=contract_date(coming.due_date, zone) if coming else None,
        next_due_amount=number(loan_math.due_of(coming)) if coming else None,
        principal=number(loan.loan_amount),
        outstanding=number(loan_math.total_of(loan, "unpaid")),
        principal_outstanding=_principal_outstanding(loan),
        overdue=number(loan_math.total_of(loan, "overdue")),
        paid=number(loan_math.total_of(loan, "paid")),
    )


def _set_open(row: SnapshotLoan, loan: Loan, day: date, words: Mapping[str, str]) -> None:
    """Set whether the loan is open, and whether nothing was ever paid on a late loan.

    The status word decides whether the loan is open. Without a status word, the dates and the
    result decide: a loan that is paid in full has a settlement date and a result, and a new loan
    has no result (spec: States and transitions, 3; Loans, MakeRepayment). A settlement date that
    can't be read counts too.
    """
    word = says_open(row.status, words)
    row.has_status_word = word is not None
    if word is None:
        has_begun = row.start_day is None or row.start_day <= day
        word = has_begun and loan.settlement_date is None and loan.result is None
    row.is_open = word
    is_late = bool(row.overdue and row.overdue > 0)
    row.is_first_missed = word and is_late and row.paid is not None and not row.paid


def _id(key: str) -> str:
    """Return the id; empty if it is too long, because a cut id may belong to another record."""
    return key if len(key) <= LONGEST_ID else ""


def _key(status: object) -> str:
    """Return a number or a word as text, cut to LONGEST_STATUS.

    Return an empty text for other values, because personal data in them would be stored in the
    figures.
    """
    if isinstance(status, Malformed):
        return ""
    # PostgreSQL accepts no NUL in a text, and none in the JSON of the figures.
    return status_key(status).replace("\x00", "")[:LONGEST_STATUS]


def set_ranks(row: SnapshotLoan) -> None:
    """Set the values that order lists, after all amounts of the row are set."""
    for name in _RANKED:
        amount = getattr(row, name)
        setattr(row, f"{name}_rank", float(amount) if amount else None)


def _principal_outstanding(loan: Loan) -> Decimal | None:
    part = loan.balances.principal if isinstance(loan.balances, LoanBalances) else None
    return number(part.unpaid) if isinstance(part, Balance) else None
