"""Figures from a loan's balances and schedule; None if these data do not give a figure.

Amounts are money in the loan's currency (spec: Loan, LoanBalances, LendingContract).
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from typing import Literal, NamedTuple, get_args

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id

from .values import (
    Balance,
    Installment,
    InstallmentAmounts,
    LendingContract,
    Loan,
    LoanBalances,
    LoanSchedule,
    Malformed,
    each,
    moment,
    number,
    text,
)

Column = Literal["due", "paid", "total", "unpaid", "overdue"]

# The groups that `repayment` sums, in the order in which pages show them.
PARTS = ("principal", "interest", "fees", "penalty")
# More fit into no column of a database.
_MOST_DAYS = 2**31 - 1


def total_of(loan: Loan, column: Column) -> Decimal | None:
    """Return the total of one column of the balances. This is the value of the group `repayment`.

    If this group is missing, return the sum of the four other groups, if all of them are present.
    Return None for a total that can't be read, because our own sum must not replace the service's
    total.
    """
    balances = loan.balances
    if not isinstance(balances, LoanBalances):
        return None
    whole = _cell(balances.repayment, column)
    if whole is not None:
        return number(whole)
    cells = [number(_cell(getattr(balances, part), column)) for part in PARTS]
    known = [cell for cell in cells if cell is not None]
    return sum(known, Decimal(0)) if len(known) == len(PARTS) else None


def overdue_charges(loan: Loan) -> Decimal:
    """Return the overdue fees and penalties that the balances show."""
    balances = loan.balances
    groups = (balances.fees, balances.penalty) if isinstance(balances, LoanBalances) else ()
    return sum((number(_cell(one, "overdue")) or Decimal(0) for one in groups), Decimal(0))


def unreadable_totals(loan: Loan) -> tuple[Column, ...]:
    """Return the columns with a total that was sent but can't be read."""
    group = loan.balances.repayment if isinstance(loan.balances, LoanBalances) else None
    return tuple(
        column for column in get_args(Column) if isinstance(_cell(group, column), Malformed)
    )


def _cell(group: object, column: Column) -> object:
    """Return the raw amount; if the group is not a Balance, return the group."""
    return getattr(group, column) if isinstance(group, Balance) else group


class Progress(StrEnum):
    """State of an instalment, from its paid part and its due date."""

    PAID = "paid"
    LATE = "late"
    PART_PAID = "part paid"
    NEXT = "next"
    TO_COME = "to come"


class ScheduleRow(NamedTuple):
    """One instalment of the schedule; `covered` is the paid part, None if it is unknown."""

    installment: Installment
    number: str
    due: Decimal | None
    covered: Decimal | None
    progress: Progress | None

    @property
    def missing(self) -> Decimal | None:
        """The amount that is left to pay; None if it is unknown."""
        return None if self.due is None or self.covered is None else self.due - self.covered


def schedule_rows(loan: Loan, now: datetime) -> tuple[ScheduleRow, ...]:
    """Return the schedule with the part of each instalment that is paid, the oldest first.

    An amount that was paid as a penalty counts for no instalment. The service does not assign
    payments to instalments, so this is an estimate from the loan's balances.
    """
    left = _paid_towards_instalments(loan)
    found: list[ScheduleRow] = []
    for place, installment in enumerate(instalments(loan), start=1):
        due = due_of(installment)
        covered = None
        if left is not None and due is not None:
            covered = min(left, due)
            left -= covered
        else:
            left = None
        name = number(installment.sequence_no)
        found.append(
            ScheduleRow(
                installment,
                f"{name:f}" if name is not None else str(place),
                due,
                covered,
                _progress(installment, due, covered, now, found),
            )
        )
    return tuple(found)


def instalments(loan: Loan) -> tuple[Installment, ...]:
    """Return the contract's readable instalments; empty if there is no contract."""
    contract = loan.contract
    return each(contract.installments) if isinstance(contract, LendingContract) else ()


def due_of(installment: Installment) -> Decimal | None:
    """Return the total amount to be paid for an instalment; None if it is unknown."""
    amounts = installment.amounts
    return number(amounts.repayment) if isinstance(amounts, InstallmentAmounts) else None


def next_of(loan: Loan) -> Installment | None:
    """Return the next instalment from the service (spec: LoanSchedule); None if not reported."""
    schedule = loan.schedule
    coming = schedule.next_installment if isinstance(schedule, LoanSchedule) else None
    return coming if isinstance(coming, Installment) else None


def find_next(loan: Loan, now: datetime) -> tuple[datetime | None, Decimal | None]:
    """Return the due time and the unpaid amount of the next instalment; None if unknown.

    The next instalment comes from the service. If the service gives none, the contract's first
    instalment that is neither paid in full nor overdue is used.
    """
    if coming := next_of(loan):
        return moment(coming.due_date), due_of(coming)
    for row in schedule_rows(loan, now):
        if row.progress in (Progress.NEXT, Progress.PART_PAID):
            return moment(row.installment.due_date), row.missing
    return None, None


def days_late_of(loan: Loan) -> int | None:
    """Return the days late, rounded up (spec: LoanSchedule); None if not reported.

    So “more than N days” gives the same result as with the service's number.
    """
    days = number(loan.schedule.days_late) if isinstance(loan.schedule, LoanSchedule) else None
    if days is None or abs(days) > _MOST_DAYS:
        return None
    return int(days.to_integral_value(ROUND_CEILING))


def _paid_towards_instalments(loan: Loan) -> Decimal | None:
    paid = total_of(loan, "paid")
    if paid is None:
        return None
    penalty = loan.balances.penalty if isinstance(loan.balances, LoanBalances) else None
    as_penalty = _cell(penalty, "paid")
    if isinstance(as_penalty, Malformed):
        return None
    return max(paid - (number(as_penalty) or Decimal(0)), Decimal(0))


def _progress(
    installment: Installment,
    due: Decimal | None,
    covered: Decimal | None,
    now: datetime,
    before: Sequence[ScheduleRow],
) -> Progress | None:
    ends = moment(installment.due_date)
    if covered is None or due is None or ends is None:
        return None
    if covered >= due:
        return Progress.PAID
    if ends < now:
        return Progress.LATE
    if any(step.progress in (Progress.NEXT, Progress.PART_PAID) for step in before):
        return Progress.TO_COME
    return Progress.PART_PAID if covered else Progress.NEXT


class LoanFacts(NamedTuple):
    """Main facts of a loan: the amount owed, the amount overdue, the next instalment.

    `next_amount` is the amount left to pay of the next instalment. Pages of a loan, receipts and
    SMS use these facts, so that all show the same figures.
    """

    owed: Decimal | None
    total: Decimal | None
    paid: Decimal | None
    overdue: Decimal | None
    days_late: Decimal | None
    repaid_share: Decimal | None
    next_due: datetime | None
    next_amount: Decimal | None
    late_since: datetime | None


def loan_facts(loan: Loan, now: datetime) -> LoanFacts:
    """Return the main facts of a loan at the time `now`; `repaid_share` is at most 1."""
    total, paid = total_of(loan, "total"), total_of(loan, "paid")
    schedule = loan.schedule if isinstance(loan.schedule, LoanSchedule) else None
    next_due, next_amount = find_next(loan, now)
    rows = schedule_rows(loan, now)
    late = [moment(x.installment.due_date) for x in rows if x.progress == Progress.LATE]
    share = min(paid / total, Decimal(1)) if paid is not None and total else None
    return LoanFacts(
        owed=total_of(loan, "unpaid"),
        total=total,
        paid=paid,
        overdue=total_of(loan, "overdue"),
        days_late=number(schedule.days_late) if schedule else None,
        repaid_share=share,
        next_due=next_due,
        next_amount=next_amount,
        late_since=late[0] if late else None,
    )


def account_of(loan: Loan) -> str:
    """Return the loan's accountId from the service; empty if it gave no valid one."""
    return _id(loan.account_id)


def key_of(loan: Loan) -> str:
    """Return the id for requests of a loan: accountId, else uid, else empty (Spec: Loans)."""
    return account_of(loan) or _id(loan.uid)


def borrower_of(loan: Loan) -> str:
    """Return the borrowerId of the loan's holder; empty if the service gave no valid one."""
    return _id(loan.borrower_id)


def product_of(loan: Loan) -> str:
    """Return the id of the loan's product; empty if the service gave no valid one."""
    return _id(loan.product_id)


def _id(value: object) -> str:
    try:
        return check_id(text(value) or "")
    except InvalidId:
        return ""
