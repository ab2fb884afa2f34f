"""What is erased of who paid the rows of statements; the rows themselves stay."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.repayments.models import Repayment
from lendingadmin.staff.erasure import register_erasable

from .models import StatementFile, StatementLine

# Each may have twenty thousand rows.
_FILES = 20


def register() -> None:
    """Register it with `manage.py erase`."""
    register_erasable(_("who paid rows of statements"), erase_borrower, erase_older)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Erase who paid the rows that are recorded as repayments of a borrower."""
    own = Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    keys = own.values_list("external_id_key", flat=True)
    return _erase(StatementLine.objects.filter(file__app_id=app_id, receipt_key__in=list(keys)))


def erase_older(before: datetime, most: int) -> int:
    """Erase who paid rows of statements that were brought in before, of some files at once.

    Returns how many files those were, or `most` where there are more.
    """
    at_once = min(most, _FILES)
    old = StatementFile.objects.filter(has_texts=True, created_at__lt=before)
    keys = list(old.order_by("created_at").values_list("pk", flat=True)[:at_once])
    with transaction.atomic():
        _erase(StatementLine.objects.filter(file__in=keys))
        StatementFile.objects.filter(pk__in=keys).update(has_texts=False)
    return most if len(keys) == at_once else len(keys)


def _erase(lines: QuerySet[StatementLine]) -> int:
    return lines.exclude(about="").update(about="")
