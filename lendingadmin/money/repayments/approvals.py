"""Approval of repayments by a second person before they are sent.

The commands are `services.approve` and `services.decline`. The database also refuses to release a
repayment that needs a second person and was not approved (`models.Repayment`).
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.independence import find_dependence, list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.web.navigation import Badge

from . import policies
from .lookalikes import look_alikes
from .managers import get_midnight
from .models import Repayment
from .states import RepaymentState

if TYPE_CHECKING:
    from .services import Request

APPROVE = "dashboard.repayments.approve"
# Only a recent repayment may be approved. An older repayment must be entered again.
APPROVE_WITHIN = timedelta(days=1)
NOT_IN_TIME = gettext_noop("The repayment was not approved within a day.")

_WORDS = {
    policies.AMOUNT: gettext_noop("the amount is above the limit for one repayment"),
    policies.DAY: gettext_noop("the amount is above the daily limit for one person"),
    policies.LOOK_ALIKE: gettext_noop("there is a similar earlier repayment"),
    policies.CURRENCY: gettext_noop("the currency has no limit"),
}


class Approval(NamedTuple):
    """The approval of a batch, which is valid for its repayments: the person and the time."""

    by: User
    at: datetime


def is_expired(since: datetime) -> bool:
    """Return True if an entry or an approval of this time is too old for sending."""
    return since <= timezone.now() - APPROVE_WITHIN


def find_reasons(
    asked: "Request",
    by: User,
    idempotency_key: str,
    now: datetime,
    own: policies.ApprovalLimits | None,
) -> list[str]:
    """Return the REASONS (`policies`) for a second person; empty if none is needed.

    `own` are the limits of the app; None if the app has no limits.
    """
    if own is None:
        return []
    app = lending_app(asked.app_id)
    midnight = get_midnight(now.astimezone(app.zone).date(), app.zone)
    return policies.list_reasons(
        own,
        asked.amount,
        entered=(
            Decimal(0)
            if own.day is None
            else Repayment.objects.sum_entered(app, by.pk, since=midnight)
        ),
        is_converted=asked.currency_code not in ("", app.currency),
        is_alike=own.look_alikes and bool(look_alikes(asked, idempotency_key)),
    )


def list_approvers(app_id: str, but: User) -> QuerySet[User]:
    """Return the people who may approve the repayments of this person in an app."""
    app: Any = app_id
    others = User.objects.with_perm(APPROVE, obj=app).exclude(pk=but.pk)
    return others.exclude(pk__in=list_dependent(but)).order_by("username")


def may_approve(repayment: Repayment, person: User) -> bool:
    """Return True if the repayment waits for an approval and this person may give it.

    This person must not have entered the repayment, and must be independent of the person who
    entered it.
    """
    is_other = repayment.created_by_id != person.pk
    is_waiting = repayment.state == RepaymentState.AWAITING
    if not (is_waiting and is_other and person.has_perm(APPROVE)):
        return False
    return not find_dependence(person, repayment.created_by)


def list_waiting(app_id: str, person: User) -> QuerySet[Repayment]:
    """Return the repayments that this person may approve."""
    if not person.has_perm(APPROVE, app_id):
        return Repayment.objects.none()
    rows = Repayment.objects.awaiting_approval(app_id).exclude(created_by=person)
    return rows.exclude(created_by__in=list_dependent(person))


def describe_reasons(reasons: str) -> str:
    """Return the stored reasons for a second person, such as `amount,day`, as a text."""
    return "; ".join(gettext(_WORDS[reason]) for reason in reasons.split(",") if reason in _WORDS)


BADGE = Badge("needs-checking", list_waiting)
