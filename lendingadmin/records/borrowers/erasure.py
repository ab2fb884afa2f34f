"""Erasure of a borrower's data in the table of writes."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table
from lendingadmin.money.writes import idempotency
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.records.offers.models import OfferLoan

from . import history

# A record that is found for a write with an unknown outcome may be the result of another write,
# which is at most this much older.
_BESIDE = timedelta(days=1)
_OVER = [state for state in WriteState if state not in (WriteState.SENT, WriteState.UNKNOWN)]


def list_writes(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield the writes that were made for a borrower, and the findings of their checks."""
    writes = history.find_writes(app_id, borrower_id)
    yield writes
    yield Check.objects.filter(write__in=list(writes.values_list("pk", flat=True)))


def erase_texts(app_id: str, borrower_id: str) -> int:
    """Erase sent data, error cards and reasons of a borrower's writes; return the number."""
    return _erase(history.find_writes(app_id, borrower_id), timezone.now())


def erase_older(before: datetime, most: int) -> int:
    """Erase sent data, cards and reasons of writes made before a time, at most `most` per app.

    Return the largest number of erased writes in one app.
    """
    rows = [Write.objects.filter(app_id=app_id) for app_id in _list_app_ids()]
    return max(_erase(one, before, most) for one in rows)


def _list_app_ids() -> list[str]:
    """Return the ids of all apps, and the empty id of writes that belong to no app."""
    return ["", *(app.app_id for app in settings.LENDING_APPS)]


def _list_over(before: datetime) -> QuerySet[Write]:
    """Return writes before a time, without texts, whose result is known and seen.

    Leave out the write of a loan from an offer as long as the offer exists. While the result of a
    write is not known, also leave out all writes since the day before that write, because a record
    that is found for that write may be the result of another write.
    """
    unknown = Write.objects.exclude(state__in=_OVER).order_by("created_at").first()
    if unknown:
        before = min(before, unknown.created_at - _BESIDE)
    lent = OfferLoan.objects.filter(idempotency_key=OuterRef("idempotency_key"))
    reasons = Check.objects.filter(write=OuterRef("pk")).exclude(why="")
    rows = Write.objects.filter(
        ~Exists(lent),
        ~Exists(reasons),
        app_id__in=_list_app_ids(),
        state__in=_OVER,
        created_at__lt=before,
        **dict.fromkeys(("submitted", "card", "resolution_reason"), ""),
    )
    return rows.exclude(alarm_at__isnull=False, alarm_seen_at=None)


def _erase(rows: QuerySet[Write], before: datetime, most: int | None = None) -> int:
    """Erase the texts of these writes; return the number of writes.

    Texts are needed for `idempotency.LIFETIME`, because a form that is sent again shows the card.
    """
    before = min(before, timezone.now() - idempotency.LIFETIME)
    over = rows.filter(state__in=_OVER, created_at__lt=before)
    reasons = Check.objects.filter(write=OuterRef("pk")).exclude(why="")
    has_text = ~Q(submitted="") | ~Q(card="") | ~Q(resolution_reason="") | Q(Exists(reasons))
    with transaction.atomic():
        keys = list(over.filter(has_text).order_by().values_list("pk", flat=True)[:most])
        Check.objects.filter(write__in=keys).update(why="")
        found: QuerySet[Write] = Write.objects.filter(pk__in=keys)
        return found.update(submitted="", card="", resolution_reason="")


ERASABLE = [
    Erasable(
        _("texts of other changes"),
        erase_texts,
        kind="writes",
        erase_older=erase_older,
        list_rows=list_writes,
    ),
]
TABLES = [
    Table(
        _("other changes and their checks"),
        "writes.Write",
        kind="writes",
        list_older=_list_over,
    ),
]
KEPT = [
    KeptOn(
        _("other changes; the texts are deleted some hours after the result is known"),
        _("actions in the dashboard and the results"),
        lambda app_id, borrower_id: history.find_writes(app_id, borrower_id).count(),
        list_rows=list_writes,
    ),
    KeptOn(
        _("entries of the audit trail"),
        _("the trail has only ids, and the entries prove that the trail is complete"),
        lambda app_id, borrower_id: history.find_entries(app_id, borrower_id).count(),
        list_rows=lambda app_id, borrower_id: [history.find_entries(app_id, borrower_id)],
    ),
]
