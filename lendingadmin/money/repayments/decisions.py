"""Decisions about repayments that wait for a person, for the home page."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext_lazy

from lendingadmin.core.staff.independence import list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.decisions import Task, ToDecide
from lendingadmin.web.keyset import unindexed

from . import approvals, mistakes, restoration
from .managers import UNDECIDED
from .models import Mistake, Repayment

TO_APPROVE = ngettext_lazy(
    "%(count)s repayment to approve", "%(count)s repayments to approve", "number"
)
REPORTED = ngettext_lazy("%(count)s reported mistake", "%(count)s reported mistakes", "number")
TO_RESOLVE = ngettext_lazy(
    "%(count)s repayment to resolve", "%(count)s repayments to resolve", "number"
)
RESTORED = ngettext_lazy(
    "The database was restored. Check for lost entries",
    "The database was restored. Check for lost entries",
    "number",
)
MAY_BE_RESTORED = ngettext_lazy(
    "The database may have been restored. Nothing is sent",
    "The database may have been restored. Nothing is sent",
    "number",
)


def list_undecided(app_id: str, person: User) -> QuerySet[Repayment]:
    """Return the repayments that need a decision and that this person may resolve.

    Leave out the person's own entries, and entries of people who are not independent of this
    person.
    """
    if not person.has_perm(RESOLVE, app_id):
        return Repayment.objects.none()
    theirs = Q(created_by=person) | Q(created_by__in=list_dependent(person))
    return Repayment.objects.needing_checks(app_id).filter(unindexed(UNDECIDED & ~theirs))


def describe(
    repayment: Repayment, url: str = "", since: datetime | None = None, by: User | None = None
) -> Task:
    """Return the task of a repayment for the home page.

    By default, the task links to the repayment, and its time is the time of entry.
    """
    return Task(
        url or repayment.get_absolute_url(),
        repayment.account_id,
        since or repayment.created_at,
        repayment.borrower_id,
        repayment.exact_amount,
        repayment.shown_currency,
        (by or repayment.created_by).username,
    )


def _describe_awaiting(repayment: Repayment) -> Task:
    return describe(repayment, reverse("repayment-approve", args=[repayment.app_id, repayment.pk]))


def _describe_mistake(mistake: Mistake) -> Task:
    return describe(mistake.repayment, since=mistake.reported_at, by=mistake.reported_by)


DECISIONS = [
    ToDecide("may-be-restored", "repayments-restored", MAY_BE_RESTORED, restoration.list_suspected),
    ToDecide("restored", "repayments-restored", RESTORED, restoration.list_waiting),
    ToDecide(
        "approve",
        "needs-checking",
        TO_APPROVE,
        approvals.list_waiting,
        describe=_describe_awaiting,
        button=gettext_lazy("Review"),
    ),
    ToDecide(
        "mistake",
        "needs-checking",
        REPORTED,
        mistakes.list_waiting,
        describe=_describe_mistake,
        oldest_first=("reported_at", "pk"),
        button=gettext_lazy("Review"),
    ),
    ToDecide(
        "resolve",
        "needs-checking",
        TO_RESOLVE,
        list_undecided,
        describe=describe,
        button=gettext_lazy("Resolve"),
    ),
]
