"""Erasure of the content of papers. Their numbers stay, so that the numbers have no gaps."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn

from .models import BulkRow, Paper


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield the papers of a borrower, and their rows of papers in bulk."""
    yield _list_papers(app_id, borrower_id)
    yield _list_bulk_rows(app_id, borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Erase the content of a borrower's papers and the rows in bulk; return their number."""
    rows = _list_bulk_rows(app_id, borrower_id).delete()[0]
    return rows + _list_papers(app_id, borrower_id).exclude(content="").update(content="")


def erase_older(before: datetime, most: int) -> int:
    """Erase the content of at most `most` papers made before this time.

    Return how many were erased.
    """
    old = Paper.objects.filter(made_at__lt=before).exclude(content="")
    keys = list(old.order_by("made_at").values_list("pk", flat=True)[:most])
    return Paper.objects.filter(pk__in=keys).update(content="")


def _list_papers(app_id: str, borrower_id: str) -> QuerySet[Paper]:
    return Paper.objects.filter(app_id=app_id, borrower_id=borrower_id)


def _list_bulk_rows(app_id: str, borrower_id: str) -> QuerySet[BulkRow]:
    return BulkRow.objects.filter(bulk__app_id=app_id, borrower_id=borrower_id)


ERASABLE = [
    Erasable(
        _("content of papers for customers"),
        erase_borrower,
        kind="papers",
        erase_older=erase_older,
        list_rows=list_rows,
    ),
]
KEPT = [
    KeptOn(
        _("numbers and days of papers for customers"),
        _("the numbers of papers must have no gaps"),
        lambda app_id, borrower_id: _list_papers(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]
