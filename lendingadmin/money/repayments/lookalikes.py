"""Repayments recorded here that may be the same payment, for a person to see before confirming."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db.models import Q

from .models import Repayment, normalise_external_id
from .states import OPEN, RepaymentState

if TYPE_CHECKING:
    from .services import Request

# Near enough to be the same payment typed twice: five per cent, three days.
NEAR_AMOUNT = Decimal("0.05")
NEAR_DATE = timedelta(days=3)
_AT_MOST = 10


def look_alikes(request: "Request", idempotency_key: str) -> list[Repayment]:
    """The app's repayments with the same transaction id, or of the same loan or borrower with near
    amount and date.

    Colleagues' unfinished ones are included, whatever their amount, when they are of the same loan.
    What the same `idempotency_key` led to is none: it is the first result of a double click.
    """
    own = Repayment.objects.filter(app_id=request.app_id).exclude(idempotency_key=idempotency_key)
    own = own.exclude(state=RepaymentState.REFUSED).exclude(
        state__in=(RepaymentState.NOT_SENT, RepaymentState.DECLINED), ended_by_sweep=False
    )
    near = _near(request.amount, request.transaction_date)
    # Each by its own index, and one after the other: with OR between them databases read the whole
    # journal of the app instead.
    unfinished = Q(state__in=(RepaymentState.AWAITING, *OPEN))
    alike = [Q(account_id=request.account_id) & (near | unfinished)]
    if request.borrower_id:
        alike.append(Q(borrower_id=request.borrower_id) & near)
    key = normalise_external_id(request.external_id)
    if key:
        alike.append(Q(external_id_key=key))
    found: dict[int, Repayment] = {}
    for same in alike:
        rows = own.filter(same).select_related("created_by").order_by("-id").with_mistake()
        found |= {row.pk: row for row in rows[:_AT_MOST]}
    return [found[number] for number in sorted(found, reverse=True)[:_AT_MOST]]


def _near(amount: Decimal, date: datetime) -> Q:
    width = amount * NEAR_AMOUNT
    return Q(
        amount__range=(amount - width, amount + width),
        transaction_date__range=(date - NEAR_DATE, date + NEAR_DATE),
    )
