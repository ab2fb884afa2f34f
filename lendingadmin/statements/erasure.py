"""What is erased of who paid the rows of statements; the rows themselves stay."""

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_noop as _

from lendingadmin.repayments.models import Repayment
from lendingadmin.staff.erasure import register_erasable

from .models import StatementLine


def register() -> None:
    """Register it with `manage.py erase`."""
    register_erasable(_("who paid rows of statements"), erase_borrower, erase_older)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Erase who paid the rows that are recorded as repayments of a borrower."""
    own = Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    keys = own.values_list("external_id_key", flat=True)
    return _erase(StatementLine.objects.filter(file__app_id=app_id, receipt_key__in=list(keys)))


def erase_older(before: datetime, most: int) -> int:
    """Erase who paid rows of statements that were brought in before, of at most so many."""
    return _erase(StatementLine.objects.filter(file__created_at__lt=before), most)


def _erase(lines: "models.QuerySet[StatementLine]", most: int | None = None) -> int:
    keys = list(lines.exclude(about="").order_by().values_list("pk", flat=True)[:most])
    return StatementLine.objects.filter(pk__in=keys).update(about="")
