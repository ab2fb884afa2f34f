"""Home page of an app: the person's own work, open decisions and the portfolio."""

from django.http import HttpResponse
from django.shortcuts import redirect, render

from lendingadmin.core import gateway
from lendingadmin.core.staff import second_manager
from lendingadmin.desk.portfolio.sections import read_sections
from lendingadmin.money.repayments import reconciliation
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.web.access import access, signed_in
from lendingadmin.web.requests import PersonRequest

from .snapshots import COUNT, describe_progress

_CHECKS_PER_VISIT = 3


@signed_in()
def start(request: PersonRequest) -> HttpResponse:
    """Redirect to the home page of the person's first app.

    Show an explanation if the person has no role.
    """
    for app in request.user.list_apps_with("lending.loans.list"):
        return redirect("home", app.app_id)
    context = {"is_asked_for": second_manager.is_role_asked_for(request.user)}
    return render(request, "portfolio/no_role.html", context)


@access("lending.loans.list")
def home(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the sections for this person's work, with data from our own database.

    Before that, make some of the due checks of repayments, which read loans from the service.
    """
    app = gateway.lending_app(app_id)
    reconciliation.check_due(app_id, at_most=_CHECKS_PER_VISIT)
    context = {"app": app, **read_sections(request, app)}
    if context.get("last"):
        context |= describe_progress(request, context["last"])
    silent_since = gateway.find_silence()
    context |= {
        "silent_since": silent_since,
        "being_checked": Repayment.objects.count_unknown(app_id) if silent_since else 0,
        "may_close_day": request.user.has_perm("dashboard.repayments.statement"),
        "may_count": request.user.has_perm(COUNT),
    }
    return render(request, "portfolio/home.html", context)
