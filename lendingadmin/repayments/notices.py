"""Mail to managers about repayments of which nobody has known for an hour what became of them.

The mail names no person, amount or loan: the repayment's number, its app, what is known, how long
ago it was sent, and its address in the dashboard. It goes out by Bcc, so that a mail that is
printed names nobody either.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.utils import timezone

from lendingadmin.display.durations import elapsed
from lendingadmin.staff.models import User

from .models import Repayment
from .states import State

logger = logging.getLogger(__name__)


class NobodyToTell(Exception):
    """No active person with the right to settle an unknown has a mail address."""


UNKNOWN_FOR = timedelta(hours=1)

# A mail about an outage of a day stays a mail; the journal has all of them.
_LONGEST_LIST = 50

# "No trace" is no knowledge either: it may still be posted late, and a person must decide.
_UNKNOWN = (State.UNKNOWN, State.NO_TRACE)


def overdue() -> QuerySet[Repayment]:
    """Repayments that were sent an hour ago, are unknown still, and that nobody was told of."""
    since = timezone.now() - UNKNOWN_FOR
    return Repayment.objects.filter(state__in=_UNKNOWN, told_at=None, sent_at__lte=since)


def tell(moment: datetime) -> bool:
    """Write to the managers, in one mail, about all that are overdue; say whether it went out.

    `moment` names the mail: `told_at` is set to it by a compare-and-swap before anything is sent,
    so of several that tell at once each repayment is in one mail. Called again with the same
    moment, because a process died between the two, it sends what that moment had claimed, under
    the same Message-ID. When the mail cannot be sent, all are as if never told.
    """
    overdue().update(told_at=moment)
    claimed = Repayment.objects.filter(told_at=moment, state__in=_UNKNOWN).order_by("sent_at", "id")
    rows, people = list(claimed), _managers()
    if not rows:
        return False
    try:
        if not people:
            raise NobodyToTell
        _mail(rows, people, moment).send()
    except Exception as error:
        # Whatever it was, it must not be taken for told. Its words may name a mailbox.
        Repayment.objects.filter(told_at=moment).update(told_at=None)
        logger.error("managers could not be told of %s: %s", _named(rows), type(error).__name__)
        return False
    logger.info("managers were told of %s", _named(rows))
    return True


def _managers() -> list[str]:
    right = Permission.objects.get(
        content_type__app_label="dashboard", codename="repayments.settle"
    )
    people = User.objects.with_perm(right).exclude(email="")
    return sorted(set(people.values_list("email", flat=True)))


def _mail(rows: Sequence[Repayment], people: list[str], moment: datetime) -> EmailMessage:
    several = len(rows) > 1
    subject = f"{len(rows)} repayments have" if several else f"Repayment {rows[0]} has"
    them = "these were" if several else "this was"
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">")
    return EmailMessage(
        f"{subject} been unknown for an hour",
        "\n".join(
            [
                f"Nobody knows yet whether {them} recorded. Do not enter it again.",
                "",
                *(_line(row) for row in rows[:_LONGEST_LIST]),
                *([f"… and {len(rows) - _LONGEST_LIST} more"] if rows[_LONGEST_LIST:] else []),
                "",
                "Compare with the payment network's statement; a manager can settle it there.",
                "The dashboard looks for evidence for a day and writes about each only once.",
            ]
        ),
        bcc=people,
        headers={
            "To": "undisclosed-recipients:;",
            "Message-ID": f"<told-{moment:%Y%m%d%H%M%S%f}@{domain}>",
        },
    )


def _line(row: Repayment) -> str:
    ago = elapsed(timezone.now() - (row.sent_at or row.created_at))
    known = f"{row} of {row.app_id}: {State(row.state).label}, sent {ago} ago"
    return f"{known}\n  {settings.DASHBOARD_URL}{row.get_absolute_url()}"


def _named(rows: Sequence[Repayment]) -> str:
    return ", ".join(str(row) for row in rows[:_LONGEST_LIST])
