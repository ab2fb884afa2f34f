"""Erasure of payers in statement rows. The rows themselves remain."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table
from lendingadmin.money.repayments.models import Repayment

from . import keeping
from .models import Allocation, PayerLink, StatementFile, StatementLine

# The most statements in one run, because each may have twenty thousand rows.
_FILES = 20


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield a borrower's statement rows, the decisions on them, and the saved payers."""
    decided = _list_decided(app_id, borrower_id)
    yield _list_lines(app_id, borrower_id, decided)
    yield decided
    yield PayerLink.objects.filter(app_id=app_id, borrower_id=borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Erase a borrower's saved payers, and the payers and reasons in the borrower's rows.

    Return the number of rows.
    """
    decided = _list_decided(app_id, borrower_id)
    PayerLink.objects.filter(app_id=app_id, borrower_id=borrower_id).delete()
    return _erase(_list_lines(app_id, borrower_id, decided), decided)


def erase_older(before: datetime, most: int) -> int:
    """Erase the payers in the rows of old statements, which were uploaded before a time.

    Delete saved payers from before this time too. Return the number of statements, or `most` if
    more may remain.
    """
    at_once = min(most, _FILES)
    old = StatementFile.objects.filter(has_texts=True, created_at__lt=before)
    keys = list(old.order_by("created_at").values_list("pk", flat=True)[:at_once])
    with transaction.atomic():
        decided = Allocation.objects.filter(batch__file__in=keys)
        _erase(StatementLine.objects.filter(file__in=keys), decided)
        StatementFile.objects.filter(pk__in=keys).update(has_texts=False)
        PayerLink.objects.filter(created_at__lt=before).delete()
    return most if len(keys) == at_once else len(keys)


def _list_decided(app_id: str, borrower_id: str) -> QuerySet[Allocation]:
    return Allocation.objects.filter(batch__file__app_id=app_id, borrower_id=borrower_id)


def _list_lines(
    app_id: str, borrower_id: str, decided: QuerySet[Allocation]
) -> QuerySet[StatementLine]:
    """Return the rows that were allocated to the borrower or have one of the borrower's ids."""
    own = Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    keys = own.values_list("external_id_key", flat=True)
    theirs = Q(receipt_key__in=list(keys)) | Q(pk__in=list(decided.values_list("line", flat=True)))
    return StatementLine.objects.filter(theirs, file__app_id=app_id)


def _erase(lines: QuerySet[StatementLine], decided: QuerySet[Allocation]) -> int:
    """Erase the payers of these rows and the reasons of decisions; return the larger number."""
    erased = decided.exclude(reason="").update(reason="")
    lines.exclude(place_reason="").update(place_reason="")
    return max(lines.exclude(about="").update(about=""), erased)


ERASABLE = [
    Erasable(
        _("payers of statement rows"),
        erase_borrower,
        kind="statements",
        erase_older=erase_older,
        list_rows=list_rows,
    ),
]
TABLES = [
    Table(
        _("statements and the chosen columns"),
        "statements.StatementFile",
        kind="files",
        list_older=keeping.list_old_content,
        delete_older=keeping.delete_old_content,
        then=_("the contents of the file are deleted after that time"),
    ),
]
KEPT = [
    KeptOn(
        _("statement rows that are matched to loans"),
        _("we must be able to prove who allowed each repayment"),
        lambda app_id, borrower_id: _list_decided(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]
