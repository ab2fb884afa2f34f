"""Search for similar repayments, which may be the same payment.

Pages show them before confirming.
"""

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db.models import Q

from .models import Repayment, normalise_external_id
from .states import OPEN, RepaymentState

if TYPE_CHECKING:
    from .services import Request

# A similar amount differs by at most five per cent, and a similar date by at most three days.
NEAR_AMOUNT = Decimal("0.05")
NEAR_DATE = timedelta(days=3)
_AT_MOST = 10


def look_alikes(request: "Request", idempotency_key: str) -> list[Repayment]:
    """Return the app's repayments that are similar to this one, at most ten, the newest first.

    A similar repayment has the same transaction id, or has the same loan or borrower and a similar
    amount and date. An unfinished repayment of the same loan counts with any amount. Leave out
    repayments that were refused, declined or certainly not sent. Also leave out the repayment with
    the same `idempotency_key`, which is the first result of a double click.
    """
    amount, date = request.amount, request.transaction_date
    width = amount * NEAR_AMOUNT
    near = Q(
        amount__range=(amount - width, amount + width),
        transaction_date__range=(date - NEAR_DATE, date + NEAR_DATE),
    )
    unfinished = Q(state__in=(RepaymentState.AWAITING, *OPEN))
    alike = [Q(account_id=request.account_id) & (near | unfinished)]
    if request.borrower_id:
        alike.append(Q(borrower_id=request.borrower_id) & near)
    key = normalise_external_id(request.external_id)
    if key:
        alike.append(Q(external_id_key=key))
    rows = Repayment.objects.with_mistake().find_few(request.app_id, *alike)
    rows = rows.exclude(idempotency_key=idempotency_key).exclude(state=RepaymentState.REFUSED)
    rows = rows.exclude(
        state__in=(RepaymentState.NOT_SENT, RepaymentState.DECLINED), ended_by_sweep=False
    )
    return list(rows.select_related("created_by").order_by("-id")[:_AT_MOST])
