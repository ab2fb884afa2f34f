"""Reports of mistakes in repayments. People correct mistakes, because the service can't reverse.

Another person reviews a report. Neither the report nor the review changes the repayment's state.
"""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.forms import Form
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.english import in_english
from lendingadmin.core.staff.independence import (
    check_independent,
    find_dependence,
    list_dependent,
)
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import idempotency
from lendingadmin.web.keyset import unindexed
from lendingadmin.web.navigation import Badge
from lendingadmin.web.requests import PersonRequest

from .forms import MistakeForm, ReviewForm
from .models import Mistake, Repayment

PURPOSE = "report a mistake"
REPORT = "dashboard.repayments.reportMistake"
REVIEW = "dashboard.repayments.reviewMistake"


class OneIsOpen(Exception):
    """Error: the repayment already has a report that is not reviewed yet."""

    def __init__(self, other: Mistake) -> None:
        super().__init__(f"{other} is open")
        self.other = other


@in_english
def report(repayment: Repayment, note: str, by: User, idempotency_key: str) -> Mistake:
    """Save a report of a mistake, with an audit entry.

    If the `idempotency_key` was used before, return the first report. Raise OneIsOpen if another
    report about the repayment waits for a review.
    """
    try:
        with transaction.atomic(durable=True):
            mistake = Mistake.objects.create(
                repayment=repayment,
                note=note,
                reported_by=by,
                reported_at=timezone.now(),
                idempotency_key=idempotency_key,
            )
            outcome = _("reported")
            audit.record_about(mistake, by, REPORT, outcome, detail=str(mistake))
    except IntegrityError:
        first = Mistake.objects.filter(idempotency_key=idempotency_key).first()
        if first:
            return first
        standing = repayment.mistakes.filter(reviewed_at=None).first()
        if standing is None:
            raise
        raise OneIsOpen(standing) from None
    return mistake


@in_english
def review(mistake: Mistake, decision: tuple[Mistake.Review, str], by: User) -> bool:
    """Close an open report with a decision and a reason; return True if this closed the report.

    Return False if the report is the person's own or is already closed. The given object gets the
    stored values in any case. Raise NotIndependent if the person is not independent of the
    reporter.
    """
    check_independent(by, mistake.reported_by)
    resolution, reason = decision
    # The note and the reason are not written to the audit trail, because they may be personal.
    outcome = _("reviewed: %(review)s") % {"review": resolution.label}
    fields: dict[str, Any] = {"reviewed_as": resolution, "reason": reason}
    fields |= {"reviewed_by": by, "reviewed_at": timezone.now()}
    starts = Mistake.objects.filter(reviewed_at=None).exclude(reported_by=by)
    done = transition(
        mistake, starts, fields, by=by, action=REVIEW, outcome=outcome, detail=str(mistake)
    )
    mistake.refresh_from_db()
    return done


def list_open(app_id: str, account_id: str = "") -> QuerySet[Mistake]:
    """Return the reports of an app or a loan that wait for a review, the oldest first."""
    of_loan = Q(repayment__account_id=account_id) if account_id else Q()
    # `unindexed` makes the database use the index of open reports. These are few, but an app has a
    # million repayments.
    asked = unindexed(Q(repayment__app_id=app_id) & of_loan)
    rows = Mistake.objects.filter(asked, reviewed_at=None)
    return rows.select_related("repayment", "reported_by").order_by("id")


def list_waiting(app_id: str, person: User) -> QuerySet[Mistake]:
    """Return the reports that this person may review."""
    if not person.has_perm(REVIEW, app_id):
        return Mistake.objects.none()
    rows = list_open(app_id).exclude(reported_by=person)
    return rows.exclude(reported_by__in=list_dependent(person))


def section(
    request: PersonRequest,
    repayment: Repayment,
    report_form: Form | None = None,
    review_form: Form | None = None,
) -> dict[str, Any]:
    """Return the context for the reports of a repayment, with the rights of this person."""
    reports = list(repayment.mistakes.select_related("reported_by", "reviewed_by"))
    standing = next((mistake for mistake in reports if mistake.is_open), None)
    may_report = request.user.has_perm(REPORT)
    may_review = request.user.has_perm(REVIEW)
    is_others = standing is not None and standing.reported_by_id != request.user.pk
    to_review = standing if may_review and is_others else None
    dependence = find_dependence(request.user, to_review.reported_by) if to_review else ""
    return {
        "mistakes": reports,
        "mistake_open": standing is not None,
        "may_report": may_report and (standing is None or report_form is not None),
        "report_token": idempotency.issue_key(request, PURPOSE),
        "report_form": report_form or MistakeForm(prefix="mistake"),
        "to_review": None if dependence else to_review,
        "review_dependence": dependence,
        "review_form": review_form or ReviewForm(prefix="review"),
    }


BADGE = Badge("needs-checking", list_waiting)
