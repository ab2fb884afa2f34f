"""Erasure of the reasons of cancelled sheets.

The rows of sheets are not erased, because they have only ids and amounts.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn

from .models import Sheet, SheetRow


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield the rows of a borrower, and the cancelled sheets with one of these rows."""
    yield _list_rows(app_id, borrower_id)
    yield _list_cancelled(app_id, borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Erase the reasons of cancelled sheets with a row of this borrower; return their number.

    A reason may mention the borrower.
    """
    cancelled = _list_cancelled(app_id, borrower_id).exclude(reason="")
    keys = list(cancelled.values_list("pk", flat=True))
    return Sheet.objects.filter(pk__in=keys).update(reason="")


def erase_older(before: datetime, most: int) -> int:
    """Erase the reasons of sheets that were cancelled before this time; return their number.

    At most `most` reasons are erased, the oldest first.
    """
    old = Sheet.objects.filter(cancelled_at__lt=before).exclude(reason="")
    keys = list(old.order_by("cancelled_at").values_list("pk", flat=True)[:most])
    return Sheet.objects.filter(pk__in=keys).update(reason="")


def _list_rows(app_id: str, borrower_id: str) -> QuerySet[SheetRow]:
    return SheetRow.objects.filter(sheet__app_id=app_id, borrower_id=borrower_id)


def _list_cancelled(app_id: str, borrower_id: str) -> QuerySet[Sheet]:
    own = _list_rows(app_id, borrower_id).values("sheet")
    return Sheet.objects.filter(pk__in=own, cancelled_at__isnull=False)


ERASABLE = [
    Erasable(
        _("reasons for cancelled collection sheets"),
        erase_borrower,
        kind="sheets",
        erase_older=erase_older,
        list_rows=list_rows,
    ),
]
KEPT = [
    KeptOn(
        _("rows of collection sheets"),
        _("we must be able to prove the visits and the counted cash"),
        lambda app_id, borrower_id: _list_rows(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]
