"""Erasure of assignments, together with all other data of a borrower."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable

from .models import Assignment, BulkRow


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield all saved rows about the officers of a borrower."""
    yield Assignment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    yield BulkRow.objects.filter(bulk__app_id=app_id, borrower_id=borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Delete the rows about the officers of a borrower; return the number of deleted rows."""
    return sum(rows.delete()[0] for rows in list_rows(app_id, borrower_id))


ERASABLE = [
    Erasable(_("current and earlier officers"), erase_borrower, list_rows=list_rows),
]
