"""Pages that assign all borrowers of a list, and show the result for each borrower."""

import logging

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render

from lendingadmin.core import gateway
from lendingadmin.desk.assignments import bulk, tasks
from lendingadmin.desk.assignments.forms import OfficerForm, OutcomeForm
from lendingadmin.desk.assignments.models import BulkAssignment
from lendingadmin.desk.assignments.permissions import CHANGE
from lendingadmin.desk.portfolio.loan_lists import open_list
from lendingadmin.desk.portfolio.saved_lists import write_query
from lendingadmin.money.writes import idempotency
from lendingadmin.web.access import access
from lendingadmin.web.keyset import Slice, build_pager, spell_count
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.unavailable import UNAVAILABLE

logger = logging.getLogger(__name__)

_LIST = "lending.loans.list"
PURPOSE = "assign-list"
_PAGE = 50


@access(CHANGE, _LIST, methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for the officer of a list's borrowers, with the number of borrowers.

    A POST assigns the borrowers once and redirects to the result. If the borrowers have changed or
    the form is too old, show the page again. Raise Http404 if there is no such list.
    """
    app = gateway.lending_app(app_id)
    found = open_list(app, request.GET.dict())
    if found is None or not found.is_valid:
        raise Http404("The address has no valid list, or there is no update yet.")
    form = OfficerForm(request.GET if "officer" in request.GET else None, app_id=app_id)
    counted, obstacle = None, ""
    if form.is_valid():
        counted = bulk.count_borrowers(found, app_id, form.cleaned_data["officer"])
    if request.method == "POST" and counted is not None:
        try:
            key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
        except idempotency.StaleKey:
            obstacle = "stale"
        else:
            saved = bulk.find_saved(key)
            if saved is not None:
                return redirect(saved)
            if request.POST.get("shown") != counted.fingerprint:
                obstacle = "counted-again"
            elif counted.given and not counted.has_more:
                saved = bulk.save(app_id, write_query(found.wanted), counted, request.user, key)
                _go_on(saved)
                return redirect(saved)
    query = write_query(found.wanted)
    context = {
        "app": app,
        "found": found,
        "form": form,
        "query": query,
        "state": QueryDict(query).items(),
        "loans": spell_count(found.count_some()) or "0",
        "counted": counted,
        "obstacle": obstacle,
        "most": bulk.MOST,
        "token": idempotency.issue_key(request, PURPOSE),
    }
    return render(request, "assignments/bulk_new.html", context)


@access(CHANGE, _LIST)
def show(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a list that was assigned, with the result of each borrower."""
    lists = BulkAssignment.objects.select_related("officer", "created_by")
    found, form = get_object_or_404(lists, app_id=app_id, pk=number), OutcomeForm(request.GET)
    counts = bulk.count_outcomes(found)
    rows = found.rows.select_related("before_officer").order_by("id")
    if form.is_valid() and form.cleaned_data["outcome"]:
        rows = rows.filter(outcome=form.cleaned_data["outcome"])
    page = list(rows.filter(pk__gt=whole_number(request.GET.get("after")) or 0)[: _PAGE + 1])
    shown = Slice(page[:_PAGE], page[_PAGE - 1].pk if len(page) > _PAGE else None)
    context = {
        "app": gateway.lending_app(app_id),
        "bulk": found,
        "form": form,
        "outcomes": [(one, counts[one.value]) for one in bulk.Outcome if one.value in counts],
        "rows": shown.rows,
        "pager": build_pager(request, shown, "after"),
    }
    return render(request, "assignments/bulk.html", context)


def _go_on(found: BulkAssignment) -> None:
    """Assign a short list immediately; let the worker assign a long list.

    If the database is busy, the worker continues, because the list is already saved.
    """
    try:
        if found.rows.all()[: bulk.AT_ONCE + 1].count() > bulk.AT_ONCE:
            tasks.assign_list.enqueue(found.pk)
        else:
            bulk.run_slice(found.pk)
    except UNAVAILABLE:
        logger.warning("a bulk assignment is left to the worker: the database is busy")
