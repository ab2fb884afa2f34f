"""Both sides of each transaction id for which a statement and the journal differ."""

from django.http import HttpResponse
from django.shortcuts import redirect, render

from lendingadmin.core import gateway
from lendingadmin.desk.statements import contradictions, rows
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import Standing
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest


@access(RESOLVE, READ, methods=("GET", "POST"))
def both_sides(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show both sides of the contradictions that no manager has seen.

    A POST marks one contradiction as seen and redirects to this page.
    """
    if request.method == "POST":
        contradictions.mark_seen(app_id, request.POST.get("key", ""), request.user)
        return redirect("statements-contradictions", app_id)
    visible = rows.read_visibility(request.user)
    found = contradictions.list_contradictions(app_id)
    shown = [
        {
            "key": one.key,
            "repayments": one.repayments,
            "lines": [
                rows.describe_line(line, Standing.OTHER_AMOUNT, {}, **visible) for line in one.lines
            ],
        }
        for one in found
    ]
    waiting = contradictions.list_waiting(app_id, request.user)
    context = {
        "found": shown,
        "repayments": [row for one in found for row in one.repayments],
        "is_cut": waiting[: contradictions.AT_MOST + 1].count() > contradictions.AT_MOST,
        "at_most": contradictions.AT_MOST,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/contradictions.html", context)
