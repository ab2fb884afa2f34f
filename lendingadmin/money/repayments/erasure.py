"""Erasure of the texts of a borrower's repayments: notes, reasons, the service's words."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table

from .models import Mistake, Reading, Repayment
from .states import NEEDS_CHECKING, RepaymentState

_TEXTS = ("notes", "error_description", "set_aside_reason", "resolution_reason")


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield a borrower's repayments, their saved readings, and their reported mistakes."""
    repayments = _list_repayments(app_id, borrower_id)
    yield repayments
    yield Reading.objects.filter(repayment__in=repayments)
    yield Mistake.objects.filter(repayment__in=repayments)


def erase_texts(app_id: str, borrower_id: str) -> int:
    """Erase the texts of a borrower's closed repayments; return the number of repayments."""
    return _erase(_list_repayments(app_id, borrower_id))


def erase_older(before: datetime, most: int) -> int:
    """Erase the texts of repayments entered before a time, at most `most` in each app.

    Return the largest number of repayments in one app.
    """
    apps = [app.app_id for app in settings.LENDING_APPS]
    rows = [Repayment.objects.filter(app_id=one, created_at__lt=before) for one in apps]
    return max(_erase(one, most) for one in rows)


def _erase(rows: QuerySet[Repayment], most: int | None = None) -> int:
    """Erase the texts of closed repayments; return the number of repayments.

    If a mistake is reported and not reviewed yet, erase neither its note nor the texts of its
    repayment.
    """
    reports = Mistake.objects.filter(repayment=OuterRef("pk"))
    over = rows.exclude(state__in=(*NEEDS_CHECKING, RepaymentState.AWAITING))
    over = over.exclude(Exists(reports.filter(reviewed_at=None)))
    has_text = Q(Exists(reports.exclude(note="", reason="")))
    for name in _TEXTS:
        has_text |= ~Q((name, ""))
    with transaction.atomic():
        keys = list(over.filter(has_text).order_by().values_list("pk", flat=True)[:most])
        Mistake.objects.filter(repayment__in=keys).update(note="", reason="")
        found: QuerySet[Repayment] = Repayment.objects.filter(pk__in=keys)
        return found.update(**dict.fromkeys(_TEXTS, ""))


def _list_superseded(before: datetime) -> QuerySet[Reading]:
    """Return readings from before this time that a later reading has replaced.

    Such readings were taken when an approval was requested or an unknown repayment was checked, and
    the repayment is now recorded or presumed. The receipt, the rise of the loan and the next
    repayment need some readings. These are never returned: the baseline, the reading right after
    the answer, and the newest readable reading with all later readings.
    """
    later = Reading.objects.filter(repayment=OuterRef("repayment"), pk__gt=OuterRef("pk"), fault="")
    rows = Reading.objects.filter(
        Exists(later.exclude(paid="")),
        taken_at__lt=before,
        kind__in=(Reading.Kind.ENTERED, Reading.Kind.CHECK),
        repayment__state__in=(RepaymentState.RECORDED, RepaymentState.PRESUMED),
    )
    # Without an order, the database can stop after the last row of a batch.
    return rows.order_by()


def _list_repayments(app_id: str, borrower_id: str) -> QuerySet[Repayment]:
    return Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)


ERASABLE = [
    Erasable(
        _("texts of repayments"),
        erase_texts,
        kind="repayments",
        erase_older=erase_older,
        list_rows=list_rows,
    ),
]
TABLES = [
    Table(
        _("readings of loan balances"),
        "repayments.Reading",
        kind="readings",
        list_older=_list_superseded,
    ),
]
KEPT = [
    KeptOn(
        _("repayments; the texts of finished repayments are deleted"),
        _("we must be able to prove repayments"),
        lambda app_id, borrower_id: _list_repayments(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]
