"""Pages of the sheets of an app, and of one sheet with its rows and their results."""

from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.desk.assignments.permissions import list_officers
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.sheets import outcomes, services
from lendingadmin.desk.sheets.choosing import add_up
from lendingadmin.desk.sheets.codes import read_code
from lendingadmin.desk.sheets.forms import LATE, PARTLY, CancelForm, CodeForm, SheetsForm
from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.sheets.permissions import MAKE, READ, may_cancel
from lendingadmin.desk.sheets.policies import list_late
from lendingadmin.desk.statements.keeping import READ as READ_STATEMENTS
from lendingadmin.web.access import access
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_PAGE = 50
#: Rights to enter the amounts of a sheet: record repayments, read statements and read sheets.
RETURN = (*RECORD, READ_STATEMENTS, READ)


@access(READ)
def sheets(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the sheets, newest first, with their results.

    If the address has a code, redirect to the sheet, or, if the sheet is still out, to the form for
    its amounts.
    """
    app, code_form = gateway.lending_app(app_id), CodeForm(request.GET or None)
    if "code" not in request.GET:
        code_form = CodeForm()
    elif code_form.is_valid():
        found = Sheet.objects.filter(app_id=app_id, code=code_form.cleaned_data["code"]).first()
        if found is not None:
            may_enter = all(request.user.has_perm(name) for name in RETURN)
            may_enter = may_enter and found.state == Sheet.State.OPEN
            return redirect("sheet-return", app_id, found.code) if may_enter else redirect(found)
        code_form.add_error("code", _("No sheet has this code in this app."))
    form = SheetsForm(request.GET, officers=list_officers(app_id))
    page = _read_page(request, app_id, form) if form.is_valid() else Slice([])
    standings = outcomes.read_standings(page.rows)
    context = {
        "app": app,
        "form": form,
        "code_form": code_form,
        "sheets": [(one, standings[one.pk]) for one in page.rows],
        "pager": build_pager(request, page),
        "late": services.list_waiting(app_id, request.user).count(),
        "may_make": request.user.has_perm(MAKE),
    }
    return render(request, "sheets/list.html", context)


@access(READ)
def sheet(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show one sheet: its rows with the amounts due, entered and recorded."""
    found = find_sheet(app_id, code)
    rows = outcomes.read_outcomes(found)
    # The returns of the sheet, each with its batch.
    returned = found.returns.select_related("created_by", "file__batch")
    returns = list(returned.defer("file__content").order_by("number"))
    may_record = all(request.user.has_perm(name) for name in RETURN)
    is_cancelled = found.state == Sheet.State.CANCELLED
    is_free = services.is_over(returns[-1] if returns else None)
    context = {
        "app": gateway.lending_app(app_id),
        "sheet": found,
        "rows": rows,
        "returns": returns,
        "standing": outcomes.read_standings([found])[found.pk],
        "differing": [one for one in rows if one.differs],
        "recorded": add_up(one.recorded for one in rows),
        "may_print": request.user.has_perm(MAKE) and not is_cancelled,
        "may_return": may_record and not is_cancelled and is_free,
        "may_cancel": may_cancel(found, request.user),
        "may_read_statements": request.user.has_perm(READ_STATEMENTS),
    }
    return render(request, "sheets/sheet.html", context)


@access(READ, methods=("GET", "POST"))
def cancel(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show the form for the reason; a POST cancels the sheet.

    Redirect to the sheet, with a warning if the person may not cancel the sheet or if the sheet is
    no longer out on paper.
    """
    found, form = find_sheet(app_id, code), CancelForm(request.POST or None)
    if not may_cancel(found, request.user):
        words = _("Nothing changed. Only a manager can cancel a printed sheet.")
        messages.warning(request, words)
        return redirect(found)
    if form.is_valid():
        if services.cancel(found, form.cleaned_data["reason"], request.user):
            messages.success(
                request, _("The sheet is cancelled. Its loans can be on another sheet.")
            )
        else:
            messages.warning(request, _("Nothing changed. The sheet is not out on paper any more."))
        return redirect(found)
    context = {"app": gateway.lending_app(app_id), "sheet": found, "form": form}
    return render(request, "sheets/cancel.html", context)


def find_sheet(app_id: str, code: str) -> Sheet:
    """Return a sheet of an app by the code in an address; raise Http404 if there is none."""
    rows = Sheet.objects.select_related("officer", "created_by", "cancelled_by")
    return get_object_or_404(rows, app_id=app_id, code=read_code(code))


def _read_page(request: PersonRequest, app_id: str, form: SheetsForm) -> Slice:
    wanted: dict[str, Any] = form.cleaned_data
    rows: QuerySet[Sheet] = Sheet.objects.filter(app_id=app_id)
    if wanted["state"] == LATE:
        rows = list_late(gateway.lending_app(app_id))
    elif wanted["state"] == PARTLY:
        rows = rows.filter(outcomes.is_partly_recorded())
    elif wanted["state"]:
        rows = rows.filter(state=wanted["state"])
    only = Q(day=wanted["day"]) if wanted["day"] else Q()
    only &= Q(officer=wanted["officer"]) if wanted["officer"] else Q()
    behind = whole_number(request.GET.get("before")) or None
    rows = rows.select_related("officer", "created_by")
    return read_slice(rows, "created_at", _PAGE, behind=behind, only=only or None)
