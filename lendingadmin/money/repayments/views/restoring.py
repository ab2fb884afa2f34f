"""Texts of forms while the journal has a gap, and the page where a manager ends the gap."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.audit import restores
from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending import loan_math
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments import confirmations, restoration, services
from lendingadmin.money.repayments.models import Restoration
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

TICK = gettext_lazy("First check the loan at the service, then tick the box below.")


def describe_gap(app_id: str, account_id: str, loan: Loan) -> dict[str, Any]:
    """Return an app's open gap, the unexplained rise in `paid`, and the text of the tick."""
    gap = services.find_gap(app_id)
    paid = loan_math.total_of(loan, "paid")
    risen = gap and restoration.find_rise(gap, account_id, paid)
    return {"gap": gap, "risen": risen, "gap_tick": TICK}


@access(RESOLVE, "lending.loans.get", methods=("GET", "POST"))
def gap(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the period whose records the restored database has lost, and the next steps.

    A POST ends the gap. With `not_restored`, the POST denies a suspected restore instead. Both
    redirect to Needs checking, with a warning if nothing changed.
    """
    found, app = services.find_gap(app_id), gateway.lending_app(app_id)
    if request.method == "POST" and "not_restored" in request.POST:
        if restores.deny(request.user):
            messages.success(request, _("Saved. You can send again."), extra_tags="sending-again")
        else:
            messages.warning(request, _("Nothing changed."), extra_tags="not-suspected")
        return redirect("needs-checking", app_id)
    if request.method == "POST":
        if found and "gone_through" in request.POST and restoration.end_gap(found, request.user):
            words = _("Saved. The form no longer asks you to tick a box for each repayment.")
            messages.success(request, words, extra_tags="gap-ended")
        else:
            messages.warning(request, _("Nothing changed."))
        return redirect("needs-checking", app_id)
    days = _describe_days(found, app) if found else {}
    context = {"suspected": restores.check_for_restore(), "gap": found, "app": app, **days}
    return render(request, "repayments/gap.html", context)


def _describe_days(found: Restoration, app: LendingApp) -> dict[str, Any]:
    """Return the number of days of the gap, and the days without statements.

    Days are in the lender's time zone. The days without statements are listed by account. `month`
    is the first day of the gap.
    """
    first, last = (one.astimezone(app.zone).date() for one in (found.since, found.until))
    covers = confirmations.list_account_covers(app.app_id, first, last)
    return {"days": (last - first).days + 1, "covers": covers, "month": first}
