"""Figures from the balances and the schedule of a loan; None if a figure can't be computed.

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

# Groups that `repayment` sums, in the order in which pages show them.
PARTS = ("principal", "interest", "fees", "penalty")
# No column of the database can store more.
_MOST_DAYS = 2**31 - 1


def total_of(loan: Loan, column: Column) -> Decimal | None:
    """Return the total of a column of the balances: the value of the group `repayment`.

    If this group is missing, return the sum of the four other groups, if all four are present.
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
    """Return the sum of the overdue fees and penalties in the balances."""
    balances = loan.balances
    groups = (balances.fees, balances.penalty) if isinstance(balances, LoanBalances) else ()
    return sum((number(_cell(one, "overdue")) or Decimal(0) for one in groups), Decimal(0))


def unreadable_totals(loan: Loan) -> tuple[Column, ...]:
    """Return the columns with a total that the service sent but that can't be read."""
    group = loan.balances.repayment if isinstance(loan.balances, LoanBalances) else None
    return tuple(
        column for column in get_args(Column) if isinstance(_cell(group, column), Malformed)
    )


def _cell(group: object, column: Column) -> object:
    """Return the amount as received; if the group is not a Balance, return the group."""
    return getattr(group, column) if isinstance(group, Balance) else group


class Progress(StrEnum):
    """State of an instalment. It follows from the paid part and the due date."""

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
        """The amount that must still be paid; None if it is unknown."""
        return None if self.due is None or self.covered is None else self.due - self.covered


def schedule_rows(loan: Loan, now: datetime) -> tuple[ScheduleRow, ...]:
    """Return the instalments, each with its paid part, the oldest first.

    A paid penalty counts for no instalment. The service does not assign payments to instalments, so
    the paid parts are estimates from the loan's balances.
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
    """Return the total amount of an instalment; None if it is unknown."""
    amounts = installment.amounts
    return number(amounts.repayment) if isinstance(amounts, InstallmentAmounts) else None


def next_of(loan: Loan) -> Installment | None:
    """Return the next instalment from the service (Spec: LoanSchedule); None if there is none."""
    schedule = loan.schedule
    coming = schedule.next_installment if isinstance(schedule, LoanSchedule) else None
    return coming if isinstance(coming, Installment) else None


def find_next(loan: Loan, now: datetime) -> tuple[datetime | None, Decimal | None]:
    """Return the due time and the unpaid amount of the next instalment; None if unknown.

    The service names the next instalment. If it names none, the next instalment is the first one of
    the contract that is neither fully paid nor overdue.
    """
    if coming := next_of(loan):
        return moment(coming.due_date), due_of(coming)
    for row in schedule_rows(loan, now):
        if row.progress in (Progress.NEXT, Progress.PART_PAID):
            return moment(row.installment.due_date), row.missing
    return None, None


def days_late_of(loan: Loan) -> int | None:
    """Return the days late, rounded up (Spec: LoanSchedule); None if the service sent none.

    So “more than N days” is true exactly if it is true for the service's number.
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
    """Main facts of a loan, such as the amount owed, the amount overdue and the next instalment.

    `next_amount` is the part of the next instalment that must still be paid. Pages of a loan,
    receipts and SMS use these facts, so that all of them show the same figures.
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
    """Return the accountId of the loan; empty if the service sent no valid id."""
    return _id(loan.account_id)


def key_of(loan: Loan) -> str:
    """Return the id for requests about a loan: accountId, else uid, else empty (Spec: Loans)."""
    return account_of(loan) or _id(loan.uid)


def borrower_of(loan: Loan) -> str:
    """Return the borrowerId of the loan; empty if the service sent no valid id."""
    return _id(loan.borrower_id)


def product_of(loan: Loan) -> str:
    """Return the productId of the loan; empty if the service sent no valid id."""
    return _id(loan.product_id)


def _id(value: object) -> str:
    try:
        return check_id(text(value) or "")
    except InvalidId:
        return ""
