"""Mail to managers about repayments that have needed checking for an hour.

The mail names no person, amount or loan. For each repayment it has the number, the app, the state,
the time since sending, and the address in the dashboard. The recipients are in Bcc, so that a
printed mail does not name them either.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.staff.models import User
from lendingadmin.web.display.durations import elapsed

from .models import Repayment
from .states import RepaymentState

logger = logging.getLogger(__name__)


class NoManagerAddress(Exception):
    """Error: no person who may resolve an app's repayments has a mail address."""


NOTIFY_AFTER = timedelta(hours=1)

# The most repayments in one mail. The journal shows all.
_LONGEST_LIST = 50

# A repayment that was not found may still be posted late, so a person must decide on it too.
_UNKNOWN = (RepaymentState.UNKNOWN, RepaymentState.NOT_FOUND)


def list_unnotified() -> QuerySet[Repayment]:
    """Return the repayments that have needed checking for an hour and were not in a mail yet."""
    since = timezone.now() - NOTIFY_AFTER
    return Repayment.objects.filter(state__in=_UNKNOWN, notified_at=None, sent_at__lte=since)


def notify_managers(moment: datetime) -> bool:
    """Mail each app's managers about repayments that need checking; return True if a mail was sent.

    `moment` identifies the mails. Before anything is sent, a compare-and-swap sets `notified_at` to
    `moment`, so several workers never put one repayment into two mails. If the process dies before
    the mail is sent, a second call with the same moment sends the same repayments under the same
    Message-ID. If the mail can't be sent, clear `notified_at`.
    """
    list_unnotified().update(notified_at=moment)
    claimed = Repayment.objects.filter(notified_at=moment, state__in=_UNKNOWN)
    app_ids = sorted(set(claimed.values_list("app_id", flat=True)))
    return any([_notify_of(app_id, moment) for app_id in app_ids])


def _notify_of(app_id: str, moment: datetime) -> bool:
    """Mail the managers of one app; return False if the mail can't be sent.

    In that case, log the kind of the error; the repayments count as not notified.
    """
    claimed = Repayment.objects.filter(app_id=app_id, notified_at=moment, state__in=_UNKNOWN)
    # A mail lists only some repayments and the total number, so a long outage needs little memory.
    rows = list(claimed.order_by("sent_at", "id")[:_LONGEST_LIST])
    count, people = claimed.count(), _managers(app_id)
    try:
        if not people:
            raise NoManagerAddress
        _mail(rows, count, people, moment).send()
    except Exception as error:
        # After any error the repayments do not count as notified. The text of the error is not
        # logged, because it may name a mailbox.
        Repayment.objects.filter(app_id=app_id, notified_at=moment).update(notified_at=None)
        logger.error("managers could not be notified of %s: %s", _named(rows), type(error).__name__)
        return False
    logger.info("managers were notified of %s", _named(rows))
    return True


def _managers(app_id: str) -> list[str]:
    app: Any = app_id
    people = User.objects.with_perm("dashboard.repayments.resolve", obj=app).exclude(email="")
    return sorted(set(people.values_list("email", flat=True)))


def _mail(
    rows: Sequence[Repayment], count: int, people: list[str], moment: datetime
) -> EmailMessage:
    subject = ngettext(
        "Repayment %(repayment)s has needed checking for an hour",
        "%(count)s repayments have needed checking for an hour",
        count,
    )
    advice = ngettext(
        "We don't know yet whether this repayment was recorded. Do not enter it again.",
        "We don't know yet whether these repayments were recorded. Do not enter them again.",
        count,
    )
    more = _("… and %(count)s more") % {"count": count - len(rows)}
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">")
    return EmailMessage(
        subject % {"repayment": rows[0], "count": count},
        "\n".join(
            [
                advice,
                "",
                *(_line(row) for row in rows),
                *([more] if count > len(rows) else []),
                "",
                _(
                    "Compare with the payment network's statement. A manager can resolve a "
                    "repayment on the page of the repayment."
                ),
                _(
                    "The dashboard checks each repayment for a day and sends one e-mail about "
                    "each repayment."
                ),
            ]
        ),
        bcc=people,
        headers={
            "To": "undisclosed-recipients:;",
            "Message-ID": f"<notified-{moment:%Y%m%d%H%M%S%f}-{rows[0].app_id}@{domain}>",
        },
    )


def _line(row: Repayment) -> str:
    ago = elapsed(timezone.now() - (row.sent_at or row.created_at))
    known = _("%(repayment)s of %(app)s: %(state)s, sent %(ago)s ago") % {
        "repayment": row,
        "app": row.app_id,
        "state": _(RepaymentState(row.state).label),
        "ago": ago,
    }
    return f"{known}\n  {settings.DASHBOARD_URL}{row.get_absolute_url()}"


def _named(rows: Sequence[Repayment]) -> str:
    return ", ".join(map(str, rows))
