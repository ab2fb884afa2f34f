"""Find out whether the service started an assessment whose answer was lost.

The service gives no key to find an assessment by. Assessments of the same account, type and time
are candidates, and a person chooses the right one or none.
"""

from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.values import moment, text
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
)
from lendingadmin.money.writes.states import WriteFound, WriteState

from . import running

# The longest time between our sending and the creation, by the service's clock.
_AROUND = timedelta(minutes=10)


def started(write: Write, submitted: Submitted) -> CheckResult:
    """Return links to the assessments that this write may have started. May raise LendingError.

    If there are none, the result is NOT_SEEN.
    """
    theirs = running.list_of_account(write.app_id, str(submitted.sent["accountId"]))
    part = "" if theirs.whole else _(" Only part of the service's list was read.")
    asked, links = parse_moment(str(submitted.sent["timestamp"])), list[tuple[str, str]]()
    for one in theirs.seen:
        key, made = running.id_of(one), moment(one.created_at)
        is_near = made is None or abs(made - write.created_at) <= _AROUND
        is_same_type = text(one.assessment_type) == submitted.sent["assessmentType"]
        if key and is_near and is_same_type and moment(one.timestamp) == asked:
            words = _("assessment %(id)s, made %(time)s UTC") if made else _("assessment %(id)s")
            given = {"id": key, "time": f"{made:%H:%M:%S}" if made else ""}
            links.append((words % given, reverse("assessment", args=[write.app_id, key])))
    # Assessments that another form of this dashboard started are left out.
    known = Write.objects.filter(url__in=[url for _, url in links], state=WriteState.SAVED)
    taken = set(known.values_list("url", flat=True))
    left = tuple(link for link in links if link[1] not in taken)
    if left:
        why = _(
            "Assessments with the same account, type and data time that started at about the "
            "time of your request: %(count)s."
        )
        return CheckResult(WriteFound.CANDIDATES, why % {"count": len(left)} + part, left)
    why = _(
        "No assessment with the same account, type and data time started at about the time of "
        "your request."
    )
    return CheckResult(WriteFound.NOT_SEEN, why + part)


OUTCOMES = {
    running.CREATE: OutcomeChecker(
        gettext_noop("Assess this borrower"), "lending.assessments.list", started, needs_person=True
    )
}
