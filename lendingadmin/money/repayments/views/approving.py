"""Page to approve another person's repayment: content, effect, and changes since the entry.

`sending.approve` makes the write. A view never calls a write of the service directly.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.independence import NotIndependent, find_dependence
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import loan_facts, total_of
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments import approvals, sending, services
from lendingadmin.money.repayments.estimate import estimate, explain_closed
from lendingadmin.money.repayments.forms import date_notices
from lendingadmin.money.repayments.lookalikes import look_alikes
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.views import restoring
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest


class Obstacle(NamedTuple):
    """A reason that prevents the sending: its name on the page, and a sentence."""

    name: str
    words: str


class Moved(NamedTuple):
    """An amount of the loan at the entry of the repayment and now; None if unknown."""

    label: str
    before: Any
    now: Any


@access(approvals.APPROVE, "lending.loans.get", methods=("GET", "POST"), confirmed=("GET", "POST"))
def approve(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the repayment as it will be sent, and the loan at present; a POST sends it once.

    Redirect to the repayment, with a warning if it does not wait for this person's approval. If
    the loan has changed or a rule stops the sending, the POST shows the page again with the
    reason. Raise LendingError if the loan can't be read.
    """
    every = Repayment.objects.select_related("created_by")
    repayment = get_object_or_404(every, app_id=app_id, pk=number)
    if not approvals.may_approve(repayment, request.user):
        why = find_dependence(request.user, repayment.created_by)
        words = _("Nothing changed. This repayment is not waiting for your approval.")
        finding = "" if why else "not-yours"
        messages.warning(request, why or words, extra_tags=finding)
        return redirect(repayment)
    loan = check_named(gateway.app(app_id).loans.get(repayment.account_id), repayment.account_id)
    page = _build_page(repayment, loan)
    obstacle: Obstacle | None = None
    if request.method == "POST":
        has_agreed, has_checked = "may_double" in request.POST, "not_there" in request.POST
        if not constant_time_compare(request.POST.get("shown", ""), page["shown"]):
            words = _("The loan changed, or there is a new similar repayment.")
            obstacle = Obstacle("changed", words)
        else:
            obstacle = _send(request, repayment, agreed=has_agreed, checked=has_checked)
            if not obstacle:
                return redirect(repayment)
    return render(request, "repayments/approve.html", page | {"obstacle": obstacle})


def _send(
    request: PersonRequest, repayment: Repayment, *, agreed: bool, checked: bool
) -> Obstacle | None:
    """Approve and send the repayment; return the obstacle, or None.

    If the repayment no longer waits for approval, add a message and return None.
    """
    try:
        is_approved = sending.approve(repayment, request.user, agreed=agreed, checked=checked)
    except services.LoanBusy as rule:
        words = _("Another repayment of this loan is still open: %(other)s.")
        return Obstacle("busy", words % {"other": rule.other})
    except services.MayDouble:
        words = _(
            "This repayment may already be recorded. Check the paid amount, then tick the box "
            "below."
        )
        return Obstacle("may_double", words)
    except services.MayBeForgotten:
        return Obstacle("forgotten", str(restoring.TICK))
    except NotIndependent as rule:
        return Obstacle("not_independent", str(rule))
    if not is_approved:
        messages.warning(
            request,
            _("Nothing changed. This repayment is no longer waiting for approval."),
            extra_tags="not-waiting",
        )
    return None


def _build_page(repayment: Repayment, loan: Loan) -> dict[str, Any]:
    asked = services.build_request(repayment)
    found = estimate(loan, repayment.amount)
    alike = look_alikes(asked, repayment.idempotency_key)
    moved = _list_moved(repayment, loan)
    return {
        "repayment": repayment,
        "asked": asked,
        "shown_currency": repayment.shown_currency,
        "reasons": approvals.describe_reasons(repayment.approval_reasons),
        "loan": loan,
        "closed": explain_closed(loan),
        "estimate": found,
        # Only an amount in the loan's currency is compared with the balance.
        "overpaid": None if repayment.moves_paid_by is None else found.overpaid,
        "moved": moved,
        "has_moved": any(one.before != one.now for one in moved),
        "look_alikes": alike,
        "abandoned": list(
            services.find_abandoned(asked.app_id, asked.account_id, asked.external_id)
        ),
        **restoring.describe_gap(asked.app_id, asked.account_id, loan),
        "paid": total_of(loan, "paid"),
        "date_notices": date_notices(asked, timezone.now()),
        "shown": _fingerprint(repayment, [*moved, *(row.pk for row in alike)]),
    }


def _list_moved(repayment: Repayment, loan: Loan) -> list[Moved]:
    """Return the paid and the unpaid amounts at the entry and at present."""
    before, now = repayment.reading(Reading.Kind.ENTERED), loan_facts(loan, timezone.now())
    is_known = before is not None and not before.fault
    return [
        Moved(_("Paid"), before.paid_amount if before and is_known else None, now.paid),
        Moved(_("Unpaid"), before.unpaid_amount if before and is_known else None, now.owed),
    ]


def _fingerprint(repayment: Repayment, shown: Iterable[object]) -> str:
    """Return a hash that changes with the shown content, and does not reveal the content."""
    content = repr((repayment.pk, list(shown)))
    return salted_hmac("lendingadmin.money.repayments.approve", content).hexdigest()
