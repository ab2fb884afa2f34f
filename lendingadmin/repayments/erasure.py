"""What is erased of a borrower's repayments: notes, reasons, the service's words; no payment."""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.staff.erasure import register_erasable, register_kept

from .models import Mistake, Repayment
from .states import NEEDS_CHECKING, RepaymentState

_TEXTS = ("notes", "error_description", "set_aside_reason", "resolution_reason")


def register() -> None:
    """Register it with `manage.py erase`."""
    register_erasable(_("texts of repayments"), erase_texts)
    register_kept(
        _("repayments, without texts where they are over"),
        _("what was paid must be provable"),
        lambda app_id, borrower_id: _list_repayments(app_id, borrower_id).count(),
    )


def erase_texts(app_id: str, borrower_id: str) -> int:
    """Erase the texts of repayments that wait for nobody; returns of how many.

    A reported mistake keeps its note until it is reviewed.
    """
    waiting = Mistake.objects.filter(repayment=OuterRef("pk"), reviewed_at=None)
    over = _list_repayments(app_id, borrower_id).exclude(Exists(waiting))
    over = over.exclude(state__in=(*NEEDS_CHECKING, RepaymentState.AWAITING))
    with transaction.atomic():
        keys = [one.pk for one in over.prefetch_related("mistakes") if _has_texts(one)]
        Mistake.objects.filter(repayment__in=keys).update(note="", reason="")
        rows: QuerySet[Repayment] = Repayment.objects.filter(pk__in=keys)
        return rows.update(**dict.fromkeys(_TEXTS, ""))


def _has_texts(repayment: Repayment) -> bool:
    if any(getattr(repayment, name) for name in _TEXTS):
        return True
    return any(one.note or one.reason for one in repayment.mistakes.all())


def _list_repayments(app_id: str, borrower_id: str) -> QuerySet[Repayment]:
    return Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)
