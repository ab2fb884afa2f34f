"""Search for the statement rows that have a repayment's transaction id."""

from collections.abc import Iterable
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
    """Return the statement rows with a repayment's transaction id, complete statements first.

    Return at most `_AT_MOST` rows, and none if the dashboard made the id.
    """
    if repayment.external_id_minted:
        return []
    app, at = lending_app(repayment.app_id), repayment.transaction_date
    # A bank's reference may repeat. It belongs to this payment only on its day (identity.py).
    of_bank = Q(bank_key=repayment.external_id_key, moment__gt=at - _DAY, moment__lte=at)
    lines = StatementLine.objects.filter(
        Q(receipt_key=repayment.external_id_key) | of_bank,
        kind=Kind.PAYMENT,
        file__app_id=repayment.app_id,
    ).exclude(place="")
    found = []
    for line in _choose(lines.select_related("file").order_by("pk")):
        same = Repayment.objects.filter(
            RECORDED, app_id=repayment.app_id, external_id_key=line.receipt_key
        ).exclude(pk=repayment.pk)
        others = same.aggregate(total=Sum("amount"))["total"] or 0
        code = line.currency or line.file.currency or app.currency
        is_same = (others + repayment.amount, code) == (line.amount, repayment.shown_currency)
        day = line.file.ends or (line.moment and line.moment.astimezone(app.zone).date())
        url = f"{line.file.get_absolute_url()}?after={line.position - 1}"
        found.append(
            Confirmation(
                day,
                line.number,
                line.amount or Decimal(0),
                code,
                is_same,
                line.file.is_complete,
                url,
            )
        )
    return found


def _choose(lines: Iterable[StatementLine]) -> list[StatementLine]:
    """Return the rows to show.

    A copy of a row in another file is included only if that file is complete and no file of the
    other rows is.
    """
    rows = sorted(lines, key=lambda line: (not line.file.is_complete, line.place == Place.COPY))
    own = [line for line in rows if line.place != Place.COPY]
    copies = [line for line in rows if line.place == Place.COPY and line.file.is_complete]
    is_confirmed = any(line.file.is_complete for line in own)
    return [*(() if is_confirmed else copies[:1]), *own][:_AT_MOST]
