"""Audit entries for borrowers whom a person sees, and a mail if a person sees very many."""

import logging

from django.core.cache import cache
from django.db import Error
from django.utils.translation import gettext as _

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.staff import tasks
from lendingadmin.core.waiting import atomic_waiting
from lendingadmin.lending.ids import account_id
from lendingadmin.web import quotas
from lendingadmin.web.masking import list_rights
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.revealing import list_groups

logger = logging.getLogger(__name__)


@in_english
def note_read(request: PersonRequest, app_id: str, borrower_id: str) -> None:
    """Record in the audit trail that this person sees a borrower's personal data.

    Call this when the page is drawn. There is one entry in an hour for each person and borrower,
    and none if all data are masked. If the person has opened more borrowers in this hour than the
    app's setting allows, notify managers. A database error, such as from a read-only database, is
    only logged.
    """
    groups = list_groups(list_rights(request.user))
    key = quotas.build_key("read", request.user, borrower_id)
    if not groups or cache.get(key):
        return
    opened = quotas.count(request.user, quotas.READS)
    try:
        with atomic_waiting(quotas.WAIT_MS):
            if not cache.add(key, True, quotas.HOUR):
                return
            if 0 < quotas.read_most_opened(app_id) <= opened:
                _raise_alarm(request, app_id, opened)
            audit.record(
                request,
                "lending.borrowers.get",
                app_id=app_id,
                subject=account_id(borrower_id),
                outcome="read",
                detail=", ".join(groups),
            )
    except Error as error:
        logger.warning(
            "an opened borrower could not be added to the trail: %s", type(error).__name__
        )


def _raise_alarm(request: PersonRequest, app_id: str, opened: int) -> None:
    """Record in the audit trail that a person opened many borrowers, and send a mail about this.

    This happens at most once a day for each person and app.
    """
    if not cache.add(quotas.build_key("mass-reading", request.user), True, quotas.DAY):
        return
    entry = audit.record(
        request,
        "dashboard.borrowers.massReading",
        app_id=app_id,
        subject=request.user.username,
        outcome="noticed",
        detail=_("%(count)s borrowers within an hour") % {"count": opened},
    )
    tasks.tell_of_mass_reading.enqueue(entry.pk)
