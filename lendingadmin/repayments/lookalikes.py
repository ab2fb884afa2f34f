"""Repayments recorded here that may be the same payment, for a person to see before confirming."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import Q

from .ledger import Request
from .models import Repayment, normalise_external_id
from .states import OPEN, State

# Near enough to be the same payment typed twice: five per cent, three days.
NEAR_AMOUNT = Decimal("0.05")
NEAR_DATE = timedelta(days=3)
_AT_MOST = 10


def look_alikes(request: Request, form: str) -> list[Repayment]:
    """The same transaction id anywhere, or the same loan or borrower with near amount and date.

    Colleagues' unfinished ones are included, whatever their amount, when they are of the same loan.
    What this very `form` has led to is none: that is the first landing of a double click.
    """
    key = normalise_external_id(request.external_id)
    same_id = Q(external_id_key=key) if key else Q(pk=None)
    same_loan = Q(app_id=request.app_id, account_id=request.account_id)
    same_payer = same_loan
    if request.borrower_id:
        same_payer |= Q(app_id=request.app_id, borrower_id=request.borrower_id)
    near = same_payer & _near(request.amount, request.transaction_date)
    unfinished = same_loan & Q(state__in=OPEN)
    rows = Repayment.objects.filter(same_id | near | unfinished).exclude(form=form)
    rows = rows.exclude(state=State.REFUSED).exclude(state=State.NOT_SENT, ended_by_sweep=False)
    return list(rows.select_related("created_by").order_by("-id")[:_AT_MOST])


def _near(amount: Decimal, date: datetime) -> Q:
    width = amount * NEAR_AMOUNT
    return Q(
        amount__range=(amount - width, amount + width),
        transaction_date__range=(date - NEAR_DATE, date + NEAR_DATE),
    )
