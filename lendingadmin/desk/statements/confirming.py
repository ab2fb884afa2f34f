"""Search for the statement rows that have a repayment's transaction id."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal

from django.db.models import Q, Sum

from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.money.repayments.confirmations import Confirmation
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment

from .lines import Kind, Place
from .models import StatementLine

_AT_MOST = 3
_AT_ONCE = 400
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


def list_confirmed(app: LendingApp, repayments: Sequence[Repayment]) -> frozenset[int]:
    """Return the numbers of the repayments that a row of a complete statement confirms.

    The rule is that of `list_rows`, with a few queries for hundreds of repayments.
    """
    own = [one for one in repayments if not one.external_id_minted]
    found = set[int]()
    for start in range(0, len(own), _AT_ONCE):
        some = own[start : start + _AT_ONCE]
        lines = _read_lines(app, [one.external_id_key for one in some])
        sums = _sum_recorded(app, {line.receipt_key for line in lines})
        by_key: dict[str, list[StatementLine]] = defaultdict(list)
        for line in lines:
            for key in {line.receipt_key, line.bank_key} - {""}:
                by_key[key].append(line)
        for one in some:
            for line in by_key[one.external_id_key]:
                key, at = one.external_id_key, one.transaction_date
                is_theirs = line.receipt_key == key or (
                    line.moment is not None and at - _DAY < line.moment <= at
                )
                # Their sum has this repayment only if the row has its transaction id.
                total = sums[line.receipt_key] + (0 if line.receipt_key == key else one.amount)
                code = line.currency or line.file.currency or app.currency
                if is_theirs and (total, code) == (line.amount, one.shown_currency):
                    found.add(one.pk)
    return frozenset(found)


def _read_lines(app: LendingApp, keys: Sequence[str]) -> list[StatementLine]:
    """Return the payments of complete statements with one of these transaction ids."""
    lines = StatementLine.objects.filter(
        Q(receipt_key__in=keys) | Q(bank_key__in=keys), kind=Kind.PAYMENT, file__app_id=app.app_id
    ).exclude(place="")
    return [
        line
        for line in lines.select_related("file").defer("file__content", "about")
        if line.file.is_complete
    ]


def _sum_recorded(app: LendingApp, keys: Iterable[str]) -> dict[str, Decimal]:
    """Return the recorded sum for each of these transaction ids."""
    rows = Repayment.objects.filter(RECORDED, app_id=app.app_id, external_id_key__in=list(keys))
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for key, amount in rows.values_list("external_id_key", "amount"):
        sums[key] += amount
    return sums


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
