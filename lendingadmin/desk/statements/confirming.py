"""The rows of whole statements that bear a repayment's transaction id."""

from datetime import timedelta
from decimal import Decimal

from django.db.models import Q, Sum

from lendingadmin.core.gateway import lending_app
from lendingadmin.money.repayments.confirmations import Confirmation
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment

from .lines import Kind, Place
from .models import StatementLine

_AT_MOST = 3
_DAY = timedelta(days=1)


def list_rows(repayment: Repayment) -> list[Confirmation]:
    """What whole statements of its app say of its transaction id; nothing of one made here."""
    if repayment.external_id_minted:
        return []
    app, at = lending_app(repayment.app_id), repayment.transaction_date
    # A bank's reference may be another payment's too: it is this one's on its day (identity.py).
    of_bank = Q(bank_key=repayment.external_id_key, moment__gt=at - _DAY, moment__lte=at)
    lines = StatementLine.objects.filter(
        Q(receipt_key=repayment.external_id_key) | of_bank,
        kind=Kind.PAYMENT,
        file__app_id=repayment.app_id,
    ).exclude(place__in=("", Place.COPY))
    found = []
    for line in lines.select_related("file").order_by("pk")[:_AT_MOST]:
        same = Repayment.objects.filter(
            RECORDED, app_id=repayment.app_id, external_id_key=line.receipt_key
        ).exclude(pk=repayment.pk)
        others = same.aggregate(total=Sum("amount"))["total"] or 0
        code = line.currency or line.file.currency or app.currency
        is_same = (others + repayment.amount, code) == (line.amount, repayment.shown_currency)
        day = line.file.ends or (line.moment and line.moment.astimezone(app.zone).date())
        url = f"{line.file.get_absolute_url()}?after={line.position - 1}"
        found.append(Confirmation(day, line.number, line.amount or Decimal(0), code, is_same, url))
    return found
