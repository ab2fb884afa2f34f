"""Checks of the chain by the worker: new entries in minutes, all entries about once a day."""

import logging
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _
from django_tasks import task

from lendingadmin.core.audit.anchor import (
    Anchor,
    AnchorUnreadable,
    Link,
    find_newest,
    read_anchor,
    stands,
    write_anchor,
)
from lendingadmin.core.audit.verification import CUT, Verifier
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import VIEW_AUDIT
from lendingadmin.core.worker import duties

logger = logging.getLogger(__name__)

WATCH_EVERY = timedelta(minutes=5)
# The most new entries that one task compares, and the most older entries. This takes some seconds.
# In a day, the tasks compare five million older entries.
ENTRIES_OF_A_TASK = 20_000


@task(priority=-5)
def watch() -> None:
    """Check the entries added since the anchor, and the next part of all older entries.

    Without an anchor, write one at the newest entry. If the anchor can't be read, log an error.
    """
    with duties.hide_error_words("watching the audit trail"):
        try:
            anchor = read_anchor()
        except AnchorUnreadable:
            logger.error("the anchor of the audit trail cannot be read: manage.py audit anchor")
            return
        if anchor is None:
            write_anchor(Anchor(find_newest()))
        elif (moved := _move_on(anchor)) != anchor:
            # An unchanged anchor is not written, so the time of its file does not change.
            # `restores` uses this time.
            write_anchor(moved)


def _move_on(anchor: Anchor) -> Anchor:
    """Check the next entries; return the anchor after these entries.

    If the chain is broken, the anchor does not move, and managers get a mail.
    """
    if not stands(anchor.newest):
        return _notify(anchor, anchor.newest.entry_id, CUT)
    new = Verifier(after=anchor.newest)
    if found := next(new.find_breaks(ENTRIES_OF_A_TASK), None):
        return _notify(anchor, found.entry_id, found.what)
    anchor = Anchor(new.reached, anchor.walked, anchor.notified)
    walk = Verifier(after=anchor.walked if stands(anchor.walked) else Link())
    if found := next(walk.find_breaks(ENTRIES_OF_A_TASK), None):
        return _notify(anchor, found.entry_id, found.what)
    return Anchor(anchor.newest, Link() if walk.is_at_end else walk.reached, anchor.notified)


def _notify(anchor: Anchor, entry_id: int, what: str) -> Anchor:
    """Log a break of the chain, and mail the people who may see the trail.

    No mail is sent if the last mail was about the same entry. Return the anchor with this entry as
    `notified`.
    """
    logger.error("the audit trail is broken at entry %s: %s", entry_id, what)
    if entry_id == anchor.notified:
        return anchor
    people = User.objects.with_perm(VIEW_AUDIT).exclude(email="")
    words = _(
        "The audit trail is broken at entry %(entry)s: %(what)s. Either the database was "
        "restored from a copy, or something other than the dashboard wrote to it. Find out who "
        "had access to the database, and run “manage.py audit verify”. %(address)s"
    )
    given = {"entry": entry_id, "what": _(what)}
    given["address"] = f"{settings.DASHBOARD_URL}{reverse('audit')}"
    EmailMessage(
        _("The audit trail is broken"),
        words % given,
        bcc=sorted(set(people.values_list("email", flat=True))),
        headers={"To": "undisclosed-recipients:;"},
    ).send()
    return Anchor(anchor.newest, anchor.walked, entry_id)


def beat() -> None:
    """Enqueue the watch every few minutes if there is an anchor."""
    if settings.AUDIT_ANCHOR:
        duties.enqueue_at_most_every(WATCH_EVERY, watch)
