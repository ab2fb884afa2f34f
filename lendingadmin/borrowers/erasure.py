"""What is erased of a borrower in the tables that tell what was done here."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.staff.erasure import register_erasable, register_kept
from lendingadmin.writes import idempotency
from lendingadmin.writes.models import Check, Write
from lendingadmin.writes.states import WriteState

from . import history


def register() -> None:
    """Register it with `manage.py erase`."""
    register_erasable(_("texts of other writes"), erase_texts)
    register_kept(
        _("other writes, without texts where the outcome has been known for half a day"),
        _("what was done here, and what became of it"),
        lambda app_id, borrower_id: history.find_writes(app_id, borrower_id).count(),
    )
    register_kept(
        _("entries of the audit trail"),
        _("it names ids only, and shows that it is whole"),
        lambda app_id, borrower_id: history.find_entries(app_id, borrower_id).count(),
    )


def erase_texts(app_id: str, borrower_id: str) -> int:
    """Erase what was entered, the cards of errors, and reasons; returns of how many writes.

    The card of a younger write is what a form that is sent again shows.
    """
    old = timezone.now() - idempotency.LIFETIME
    over = history.find_writes(app_id, borrower_id).filter(created_at__lt=old)
    over = over.exclude(state__in=(WriteState.SENT, WriteState.UNKNOWN))
    with transaction.atomic():
        keys = [one.pk for one in over if _has_texts(one)]
        Check.objects.filter(write__in=keys).update(why="")
        rows: QuerySet[Write] = Write.objects.filter(pk__in=keys)
        return rows.update(submitted="", card="", resolution_reason="")


def _has_texts(write: Write) -> bool:
    if write.submitted or write.card or write.resolution_reason:
        return True
    return any(check.why for check in write.checks.all())
