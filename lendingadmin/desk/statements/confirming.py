"""Search for the statement rows that have a repayment's transaction id."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from django.db.models import Q

from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.money.repayments.confirmations import Confirmation
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment

from .lines import Kind, Place
from .models import StatementLine

_AT_MOST = 3
_DAY = timedelta(days=1)


def list_rows(repayment: Repayment) -> list[Confirmation]:
    """Return the statement rows with a repayment's transaction id, complete statements first.

    Return at most `_AT_MOST` rows, and none if the dashboard made the id. Include a copy of a row
    from another file only if that file is complete and the files of the other rows are not.
    """
    app = lending_app(repayment.app_id)
    rows = sorted(
        _find_rows(app, [repayment])[repayment.pk],
        key=lambda row: (not row[0].file.is_complete, row[0].place == Place.COPY),
    )
    own = [row for row in rows if row[0].place != Place.COPY]
    if not any(line.file.is_complete for line, _is_same in own):
        own = [row for row in rows if row not in own and row[0].file.is_complete][:1] + own
    return [
        Confirmation(
            line.file.ends or (line.moment and line.moment.astimezone(app.zone).date()),
            line.number,
            line.amount or Decimal(0),
            line.currency or line.file.currency or app.currency,
            is_same,
            line.file.is_complete,
            f"{line.file.get_absolute_url()}?after={line.position - 1}",
        )
        for line, is_same in own[:_AT_MOST]
    ]


def list_confirmed(app: LendingApp, repayments: Sequence[Repayment]) -> frozenset[int]:
    """Return the primary keys of the repayments that a complete statement confirms."""
    return frozenset(
        pk
        for pk, rows in _find_rows(app, repayments).items()
        if any(is_same and line.file.is_complete for line, is_same in rows)
    )


def _find_rows(
    app: LendingApp, repayments: Sequence[Repayment]
) -> dict[int, list[tuple[StatementLine, bool]]]:
    """Return the payments with each repayment's transaction id, with two queries.

    Each row comes with True if its amount and currency equal the sum of all repayments with its id.
    """
    keys = [one.external_id_key for one in repayments if not one.external_id_minted]
    lines = StatementLine.objects.filter(
        Q(receipt_key__in=keys) | Q(bank_key__in=keys), kind=Kind.PAYMENT, file__app_id=app.app_id
    ).exclude(place="")
    lines = lines.select_related("file").defer("file__content", "about").order_by("pk")
    by_key: dict[str, list[StatementLine]] = defaultdict(list)
    for line in lines:
        for key in {line.receipt_key, line.bank_key}:
            by_key[key].append(line)
    recorded: dict[str, dict[int, Decimal]] = defaultdict(dict)
    rows = Repayment.objects.filter(
        RECORDED, app_id=app.app_id, external_id_key__in={line.receipt_key for line in lines}
    )
    for key, pk, amount in rows.values_list("external_id_key", "pk", "amount"):
        recorded[key][pk] = amount
    found: dict[int, list[tuple[StatementLine, bool]]] = defaultdict(list)
    for one in repayments:
        key, at = one.external_id_key, one.transaction_date
        for line in by_key[key] if not one.external_id_minted else ():
            # A bank's reference may repeat, so the row must also be on the day of the repayment
            # (identity.py).
            if line.receipt_key == key or (line.moment and at - _DAY < line.moment <= at):
                total = sum((recorded[line.receipt_key] | {one.pk: one.amount}).values())
                code = line.currency or line.file.currency or app.currency
                is_same = (total, code) == (line.amount, one.shown_currency)
                found[one.pk].append((line, is_same))
    return found
