"""Erasure of a borrower's expired offers, except offers whose loan has an unknown result."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState

from .models import NORMAL_TIME, OfferLoan, OfferRequest


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield the offers that were requested for a borrower, and the loans from these offers."""
    offers = _list_offers(app_id, borrower_id)
    yield offers
    yield OfferLoan.objects.filter(offer__in=offers)


def erase_offers(app_id: str, borrower_id: str) -> int:
    """Delete the expired requests with their answers; return the number of requests."""
    return _erase(_list_offers(app_id, borrower_id))


def erase_older(before: datetime, most: int) -> int:
    """Delete at most `most` expired offers last requested before a time; return the number."""
    # In this order, the database reads the rows from the index on `last_asked_at`.
    older = OfferRequest.objects.filter(last_asked_at__lt=before).order_by("last_asked_at")
    return _erase(older, most)


def _erase(rows: QuerySet[OfferRequest], most: int | None = None) -> int:
    now = timezone.now()
    is_over = Q(expiry_time__lte=now)
    is_over |= Q(expiry_time=None, last_asked_at__lt=now - NORMAL_TIME)
    # An offer is not erased while the result of its loan is unknown. There are only a few such
    # loans.
    unknown = Write.objects.filter(state__in=(WriteState.SENT, WriteState.UNKNOWN))
    writes = list(unknown.values_list("idempotency_key", flat=True))
    lent = OfferLoan.objects.filter(idempotency_key__in=writes).values_list("offer", flat=True)
    over = rows.filter(is_over).exclude(pk__in=list(lent))
    keys = list(over.values_list("pk", flat=True)[:most])
    gone = OfferRequest.objects.filter(pk__in=keys).delete()
    return gone[1].get(OfferRequest._meta.label, 0)


def _list_offers(app_id: str, borrower_id: str) -> QuerySet[OfferRequest]:
    return OfferRequest.objects.filter(app_id=app_id, borrower_id=borrower_id)


ERASABLE = [
    Erasable(
        _("offers"), erase_offers, kind="offers", erase_older=erase_older, list_rows=list_rows
    ),
]
KEPT = [
    KeptOn(
        _("offers"),
        _("these offers can still lead to a loan, or may already have led to a loan"),
        lambda app_id, borrower_id: _list_offers(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]
