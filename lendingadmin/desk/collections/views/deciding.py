"""Pages of the decisions on stops and promises."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.desk.collections import promises, services
from lendingadmin.desk.collections.forms import PromiseForm, ReasonForm
from lendingadmin.desk.collections.models import Promise, Stop
from lendingadmin.desk.collections.permissions import CALL, DECIDE
from lendingadmin.desk.collections.states import PromiseState
from lendingadmin.web.access import access
from lendingadmin.web.keyset import build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_PAGE = 50


@access(CALL)
def stops(request: PersonRequest, app_id: str) -> HttpResponse:
    """List disputes, hardship and borrowers who must not be called, the oldest first.

    With `?waits=decision`, list only the rows that this person may decide.
    """
    rows = Stop.objects.filter(app_id=app_id, ended_at=None)
    if is_waiting := request.GET.get("waits") == "decision":
        rows = services.list_to_decide(app_id, request.user)
    rows = rows.select_related("created_by", "call")
    behind = whole_number(request.GET.get("after")) or None
    page = read_slice(rows, "since", _PAGE, behind=behind, newest_first=False)
    context = {
        "app": gateway.lending_app(app_id),
        "stops": page.rows,
        "is_waiting": is_waiting,
        "pager": build_pager(request, page, "after"),
        "may_decide": request.user.has_perm(DECIDE),
    }
    return render(request, "collections/stops.html", context)


@access(DECIDE, methods=("GET", "POST"))
def end_stop(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a stop; a POST with a reason ends the stop and redirects to the list of stops.

    If another person ends the stop during this request, the next page has a warning. Raise Http404
    for a stop that is not open.
    """
    rows = Stop.objects.select_related("created_by", "call")
    stop = get_object_or_404(rows, app_id=app_id, pk=number, ended_at=None)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        if services.end_stop(stop, form.cleaned_data["reason"], request.user):
            messages.success(request, _("Saved. Calls are allowed again."))
        else:
            messages.warning(request, _("Nothing changed. Calls were already allowed."))
        return redirect("call-stops", app_id)
    context = {"app": gateway.lending_app(app_id), "stop": stop, "form": form}
    return render(request, "collections/end_stop.html", context)


@access(CALL)
def promise(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a promise, and the evidence for its state."""
    return _show(request, _find(app_id, number), PromiseForm())


@access(CALL, DECIDE, methods=("POST",))
def decide(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Set the state of a promise, with a reason; redirect to the promise.

    If another person has changed the promise, nothing is saved and a warning is shown. Without a
    valid reason, the form is shown again.
    """
    found, form = _find(app_id, number), PromiseForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form)
    state, reason = PromiseState(form.cleaned_data["state"]), form.cleaned_data["reason"]
    if not promises.decide(found, state, reason, request.user):
        words = _("Not saved. Another person changed this entry. Load the page again.")
        messages.warning(request, words)
    return redirect(found)


def _find(app_id: str, number: int) -> Promise:
    rows = Promise.objects.select_related("call__called_by", "decided_by")
    return get_object_or_404(rows, app_id=app_id, pk=number)


def _show(request: PersonRequest, found: Promise, form: PromiseForm) -> HttpResponse:
    context = {
        "app": gateway.lending_app(found.app_id),
        "promise": found,
        "form": form,
        "may_decide": request.user.has_perm(DECIDE),
    }
    return render(request, "collections/promise.html", context)
