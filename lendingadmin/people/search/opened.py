"""The last ten records that a person opened in an app."""

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.db import Error
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.erasure import Erasable
from lendingadmin.core.staff.models import User
from lendingadmin.core.waiting import atomic_without_waiting
from lendingadmin.web.requests import PersonRequest

from .kinds import BORROWER, KINDS
from .models import LONGEST_ID, Opened

KEPT = 10
# The list shows how long ago a record was opened, so the newest record is saved again after this
# time.
_FRESH = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def remember(request: PersonRequest, app_id: str, kind: str, key: str) -> None:
    """Record that this person opened this record by a GET, and delete all but the last ten.

    `kind` is a key of KINDS. Save nothing if this record is already the newest and was saved
    recently. A page never waits for another writer: if the database is not free immediately, save
    nothing.
    """
    if request.method != "GET" or not 0 < len(key) <= LONGEST_ID:
        return
    now, own = timezone.now(), filter_opened(request.user, app_id)
    try:
        before = list(own.values_list("kind", "key", "at")[:KEPT])
        if before and before[0][:2] == (kind, key) and now - before[0][2] < _FRESH:
            return
        with atomic_without_waiting():
            Opened.objects.bulk_create(
                [Opened(person=request.user, app_id=app_id, kind=kind, key=key, at=now)],
                update_conflicts=True,
                unique_fields=["person", "app_id", "kind", "key"],
                update_fields=["at"],
            )
            if len(before) == KEPT:
                own.exclude(pk__in=own.values("pk")[:KEPT]).delete()
    except Error as error:
        logger.warning("an opened record could not be saved: %s", type(error).__name__)


def last(person: User, app_id: str) -> list[Opened]:
    """Return the records opened last, newest first, of the kinds that this person may open."""
    may_open = [key for key, kind in KINDS.items() if person.has_perm(kind.permission)]
    return list(filter_opened(person, app_id).filter(kind__in=may_open)[:KEPT])


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Opened]]:
    """Yield the rows of people who recently opened this borrower's record."""
    yield Opened.objects.filter(app_id=app_id, kind=BORROWER.route, key=borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> int:
    """Delete the rows of people who opened this borrower's record; return the number of people."""
    return sum(rows.delete()[0] for rows in list_rows(app_id, borrower_id))


def filter_opened(person: User, app_id: str) -> QuerySet[Opened]:
    return Opened.objects.filter(person=person, app_id=app_id).order_by("-at", "-pk")


ERASABLE = Erasable(
    gettext_noop("records that people opened recently"), erase_borrower, list_rows=list_rows
)
