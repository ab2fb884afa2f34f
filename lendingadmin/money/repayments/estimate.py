"""Estimate of the effect of a repayment on a loan. The service may calculate another effect.

The spec does not say in which order the service clears the amounts owed. So this module only
compares the amount with the balances and, one instalment after the other, with the schedule.
"""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.lending.loan_math import overdue_charges, schedule_rows, total_of
from lendingadmin.lending.values import Loan, moment
from lendingadmin.web.display.statuses import find_status, says_open
from lendingadmin.web.policies import LOAN, read_words


class Estimate(NamedTuple):
    """Estimated amounts in the loan's currency; None if the loan lacks the value.

    `clears` has the numbers of the instalments that the repayment completes. `touches` is the
    number of an instalment that the repayment pays in part. `next_due` and `next_amount` are those
    of the first instalment that the repayment does not complete, which may be overdue. `charges`
    are the overdue fees and penalties, which the service may take first.
    """

    owed: Decimal | None
    remains: Decimal | None
    overpaid: Decimal
    overdue: Decimal | None
    overdue_after: Decimal | None
    clears: tuple[str, ...]
    touches: str | None
    next_due: datetime | None
    next_amount: Decimal | None
    charges: Decimal


def estimate(loan: Loan, amount: Decimal) -> Estimate:
    """Estimate the effect of a repayment of `amount` from the loan's balances and schedule.

    See Loan, LoanBalances and LendingContract in the spec.
    """
    owed, overdue = total_of(loan, "unpaid"), total_of(loan, "overdue")
    clears, following = list[str](), None
    left = amount
    for row in schedule_rows(loan, timezone.now()):
        missing = row.missing
        if missing is None:
            break
        if missing > left:
            following = (row, missing - left)
            break
        if missing > 0:
            clears.append(row.number)
        left -= max(missing, Decimal(0))
    return Estimate(
        owed=owed,
        remains=None if owed is None else max(owed - amount, Decimal(0)),
        overpaid=Decimal(0) if owed is None else max(amount - owed, Decimal(0)),
        overdue=overdue,
        overdue_after=None if overdue is None else max(overdue - amount, Decimal(0)),
        clears=tuple(clears),
        touches=following[0].number if following and left > 0 else None,
        next_due=moment(following[0].installment.due_date) if following else None,
        next_amount=following[1] if following else None,
        charges=overdue_charges(loan),
    )


def explain_closed(loan: Loan) -> str:
    """Return the reason why the service will probably refuse a repayment of this loan.

    Return an empty text if no reason is known. The service accepts repayments only for open loans
    (spec: States and transitions, 4). The status word decides if the loan is open. If the word is
    unknown, a loan with a settlement date and a result is closed.
    """
    words = read_words(LOAN)
    is_open, status = says_open(loan.status, words), find_status(loan.status, words)
    if is_open is False and status:
        return _("The status of this loan is “%(status)s”.") % {"status": status.word}
    has_ended = loan.settlement_date is not None and loan.result is not None
    if is_open is None and has_ended:
        return _("This loan has a settlement date and a result.")
    return ""
