"""What a repayment will probably do to a loan: an estimate, since the service decides.

The spec does not show in which order the service clears what is owed, so this only sets the amount
against the balances and, instalment by instalment, against the schedule.
"""

from decimal import Decimal
from typing import NamedTuple

from django.utils import timezone

from lendingadmin.lending.loan_math import schedule_rows, total_of
from lendingadmin.lending.values import Loan


class Estimate(NamedTuple):
    """Amounts in the loan's currency; None where the loan does not tell."""

    owed: Decimal | None
    remains: Decimal | None
    overpaid: Decimal
    overdue: Decimal | None
    overdue_after: Decimal | None
    clears: tuple[str, ...]
    touches: str | None


def estimate(loan: Loan, amount: Decimal) -> Estimate:
    """Set `amount` against the loan as it stands (spec: Loan, LoanBalances, LendingContract)."""
    owed, overdue = total_of(loan, "unpaid"), total_of(loan, "overdue")
    clears, touches = _instalments(loan, amount)
    return Estimate(
        owed=owed,
        remains=None if owed is None else max(owed - amount, Decimal(0)),
        overpaid=Decimal(0) if owed is None else max(amount - owed, Decimal(0)),
        overdue=overdue,
        overdue_after=None if overdue is None else max(overdue - amount, Decimal(0)),
        clears=clears,
        touches=touches,
    )


def _instalments(loan: Loan, amount: Decimal) -> tuple[tuple[str, ...], str | None]:
    """The numbers of the instalments that `amount` completes, and of the one it only begins."""
    clears: list[str] = []
    for step in schedule_rows(loan, timezone.now()):
        if step.due is None or step.covered is None:
            break
        missing = step.due - step.covered
        if missing <= 0:
            continue
        if amount < missing:
            return tuple(clears), step.number if amount > 0 else None
        clears.append(step.number)
        amount -= missing
    return tuple(clears), None
