"""Pages that make sheets and print a sheet."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.desk.assignments.permissions import list_officers
from lendingadmin.desk.portfolio.loan_lists import list_products
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.sheets import choosing, services
from lendingadmin.desk.sheets.choosing import LONGEST, MOST, Choosing
from lendingadmin.desk.sheets.codes import build_qr
from lendingadmin.desk.sheets.forms import NewSheetForm
from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.sheets.permissions import MAKE, READ
from lendingadmin.money.writes import idempotency
from lendingadmin.web.access import access
from lendingadmin.web.quotas import SHEETS
from lendingadmin.web.requests import PersonRequest

from .records import find_sheet

PURPOSE = "sheets.make"


@access(READ, MAKE, "lending.loans.list", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for new sheets, with the number and the sums of the chosen loans.

    A POST makes the sheets and redirects to the sheet, or to the list if there are several. If the
    loans have changed or the form is too old, make nothing and show the page again.
    """
    app = gateway.lending_app(app_id)
    snapshot = find_with_loans(app_id)
    form = NewSheetForm(
        request.POST if request.method == "POST" else request.GET,
        today=timezone.localdate(timezone=app.zone),
        products=list_products(snapshot) if snapshot else (),
        officers=list_officers(app_id),
    )
    found = choosing.choose(app, form.wanted) if snapshot and form.is_valid() else None
    obstacle = ""
    if request.method == "POST" and found is not None:
        obstacle = _find_obstacle(request, found)
        if not obstacle and (answer := _make(request, app_id, form, found)):
            return answer
    context: dict[str, Any] = {"app": app, "form": form, "found": found, "obstacle": obstacle}
    context |= {"snapshot": snapshot, "longest": LONGEST, "most": MOST}
    context["token"] = idempotency.issue_key(request, PURPOSE)
    return render(request, "sheets/new.html", context)


@access(READ, MAKE, methods=("POST",), quota=SHEETS)
def print_sheet(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show the sheet for printing, and record in the audit trail that it was printed.

    The page is the response to a POST, so loading it again is a reprint, and the page says that it
    is a reprint. For a cancelled sheet, redirect to the sheet with a warning. The paper shows no
    phone numbers, because paper gets lost and a visitor does not need phone numbers.
    """
    sheet = find_sheet(app_id, code)
    if sheet.state == Sheet.State.CANCELLED:
        messages.warning(request, _("Not printed. The sheet is cancelled."))
        return redirect(sheet)
    printed_at = services.note_printing(sheet, request.user)
    context = {
        "app": gateway.lending_app(app_id),
        "sheet": sheet,
        "rows": sheet.rows.order_by("number"),
        "printed_at": printed_at,
        "now": timezone.now(),
        # The QR code has only the sheet's code, and no address. An address may change, a code alone
        # means nothing to strangers, and a short text gives larger squares.
        "qr": build_qr(sheet.code),
        "lender": read_lender(app_id).name,
    }
    return render(request, "sheets/paper.html", context)


def _find_obstacle(request: PersonRequest, found: Choosing) -> str:
    """Return the reason why no sheet can be made, as a sentence; empty if there is none."""
    if found.has_more:
        words = _("There are more than %(most)s loans. Choose a product or an officer.")
        return words % {"most": f"{MOST:,}"}
    if not found.chosen:
        return _("No loans for a sheet.")
    if request.POST.get("shown") != found.fingerprint:
        return _("The loans changed. The sheet would now have the rows below.")
    return ""


def _make(
    request: PersonRequest, app_id: str, form: NewSheetForm, found: Choosing
) -> HttpResponse | None:
    """Make the sheets and redirect to them.

    Return None if the person must check the loans again.
    """
    try:
        key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
    except idempotency.StaleKey:
        words = _(
            "Not saved. This form was open for too long. Check the form and make the sheet again."
        )
        messages.warning(request, words)
        return None
    app = gateway.lending_app(app_id)
    try:
        sheets = services.make_sheets(app, form.wanted, found, key, request.user)
    except services.OnOtherSheet:
        words = _("Not saved. Another sheet was made at the same time. Check the remaining loans.")
        messages.warning(request, words)
        return None
    if len(sheets) == 1:
        messages.success(request, _("Saved. Now print the sheet."))
        return redirect(sheets[0])
    words = _("Saved. Now print each of the %(count)s sheets.")
    messages.success(request, words % {"count": len(sheets)})
    return redirect("sheets", app_id)
