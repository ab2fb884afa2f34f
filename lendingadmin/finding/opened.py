"""The last ten records that a person opened in an app."""

import logging

from django.db import Error, transaction
from django.db.models import QuerySet
from django.utils import timezone

from lendingadmin.staff.models import User
from lendingadmin.web.requests import PersonRequest

from .kinds import KINDS
from .models import LONGEST_ID, Opened

KEPT = 10

logger = logging.getLogger(__name__)


def remember(request: PersonRequest, app_id: str, kind: str, key: str) -> None:
    """Note that this person is shown this record: `kind` is a key of KINDS.

    Two statements and one commit. Where the database will not have it, the page goes without.
    """
    if request.method != "GET" or not 0 < len(key) <= LONGEST_ID:
        return
    now = Opened(person=request.user, app_id=app_id, kind=kind, key=key, at=timezone.now())
    try:
        with transaction.atomic():
            Opened.objects.bulk_create(
                [now],
                update_conflicts=True,
                unique_fields=["person", "app_id", "kind", "key"],
                update_fields=["at"],
            )
            own = _of(request.user, app_id)
            own.exclude(pk__in=own.values("pk")[:KEPT]).delete()
    except Error as error:
        logger.warning("what was opened last could not be kept: %s", type(error).__name__)


def last(person: User, app_id: str) -> list[Opened]:
    """The newest first, of the kinds that this person may open now."""
    may_open = [key for key, kind in KINDS.items() if person.has_perm(kind.permission)]
    return list(_of(person, app_id).filter(kind__in=may_open)[:KEPT])


def _of(person: User, app_id: str) -> QuerySet[Opened]:
    return Opened.objects.filter(person=person, app_id=app_id).order_by("-at", "-pk")
