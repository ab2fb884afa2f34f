"""Assigning all borrowers of a list: the officer, what will change, what became of each, undo."""

import logging
from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin import gateway
from lendingadmin.assignments import bulk, tasks
from lendingadmin.assignments.forms import OfficerForm, OutcomeForm
from lendingadmin.assignments.models import BulkAssignment
from lendingadmin.assignments.permissions import CHANGE
from lendingadmin.portfolio.loan_lists import LoanList, open_list
from lendingadmin.portfolio.saved_lists import write_query
from lendingadmin.ui import polling
from lendingadmin.ui.access import access
from lendingadmin.ui.keyset import Slice, build_pager, spell_count
from lendingadmin.ui.lists import whole_number
from lendingadmin.ui.requests import PersonRequest
from lendingadmin.ui.unavailable import UNAVAILABLE
from lendingadmin.writes import idempotency

logger = logging.getLogger(__name__)

_LIST = "lending.loans.list"
PURPOSE = "assign-list"
_PAGE, _SAMPLE = 50, 10
# Fifty thousand borrowers take some minutes; a busy worker takes longer.
_LONGEST = timedelta(hours=2)


@access(CHANGE, _LIST, methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """To whom the borrowers of the list in the address go; the POST leads to what that changes."""
    found = open_list(gateway.lending_app(app_id), request.GET.dict())
    if found is None or not found.is_valid:
        raise Http404("The address describes no list, or the loans are not counted yet.")
    form = OfficerForm(request.POST or None, app_id=app_id)
    if request.method == "POST" and form.is_valid():
        try:
            key = idempotency.check_key(request, PURPOSE, form.cleaned_data["token"])
            return redirect(_create(request, app_id, found, form, key))
        except idempotency.StaleKey:
            words = _("Nothing was changed: this form was open for too long. Choose again.")
            messages.warning(request, words)
    context = {
        "app": gateway.lending_app(app_id),
        "found": found,
        "form": form,
        "query": write_query(found.wanted),
        "count": spell_count(found.count_some()) or "0",
        "token": idempotency.issue_key(request, PURPOSE),
    }
    return render(request, "assignments/bulk_new.html", context)


def _create(
    request: PersonRequest, app_id: str, found: LoanList, form: OfficerForm, key: str
) -> BulkAssignment:
    """Prepare it: a short list now, a long one with the worker."""
    query, officer = write_query(found.wanted), form.cleaned_data["officer"]
    row = bulk.create(app_id, query, officer, request.user, key)
    if bulk.list_borrowers(found)[: bulk.AT_ONCE + 1].count() > bulk.AT_ONCE:
        tasks.enqueue_bulk(row)
    else:
        bulk.run_slice(row.pk)
    return row


@access(CHANGE, _LIST)
def show(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """What it changes before it is confirmed, and what became of each borrower afterwards."""
    found, form = _find(app_id, number), OutcomeForm(request.GET)
    counts = bulk.count_outcomes(found)
    rows = found.rows.select_related("before_officer").order_by("id")
    if form.is_valid() and form.cleaned_data["outcome"]:
        rows = rows.filter(outcome=form.cleaned_data["outcome"])
    after, size = whole_number(request.GET.get("after")) or 0, _PAGE
    if found.state == BulkAssignment.State.READY:
        size = _SAMPLE
    page = list(rows.filter(pk__gt=after)[: size + 1])
    shown = Slice(page[:size], page[size - 1].pk if len(page) > size else None)
    context = _describe_progress(request, found) | {
        "form": form,
        "outcomes": [(one, counts[one.value]) for one in bulk.Outcome if one.value in counts],
        "total": sum(counts.values()),
        "before": bulk.count_before(found),
        "rows": shown.rows,
        "pager": build_pager(request, shown, "after"),
        "may_undo": bulk.may_undo(found, timezone.now()),
        "undo_until": found.confirmed_at and found.confirmed_at + bulk.UNDO_WITHIN,
    }
    return render(request, "assignments/bulk.html", context)


@access(CHANGE, _LIST)
def progress(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """How far it is: a fragment that polls while the worker is at it."""
    context = _describe_progress(request, _find(app_id, number)) | {"is_fragment": True}
    return render(request, "assignments/_bulk_progress.html", context)


@access(CHANGE, _LIST, methods=("POST",))
def confirm(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Assign them; sent twice it is done once."""
    found = _find(app_id, number)
    if bulk.confirm(found, request.user):
        _go_on(found)
    return redirect(found)


@access(CHANGE, _LIST, methods=("POST",))
def undo(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Put back what still stands as it was left."""
    found = _find(app_id, number)
    if bulk.undo(found, request.user):
        _go_on(found)
    else:
        messages.warning(request, _("Nothing was changed: it can't be undone any more."))
    return redirect(found)


def _go_on(found: BulkAssignment) -> None:
    """A short list now, a long one with the worker. It is kept already: the worker goes on."""
    try:
        if found.rows.all()[: bulk.AT_ONCE + 1].count() > bulk.AT_ONCE:
            tasks.enqueue_bulk(found)
        else:
            bulk.run_slice(found.pk)
    except UNAVAILABLE:
        logger.warning("a bulk assignment is left to the worker: the database is busy")


def _find(app_id: str, number: int) -> BulkAssignment:
    rows = BulkAssignment.objects.select_related(
        "officer", "created_by", "confirmed_by", "undone_by"
    )
    return get_object_or_404(rows, app_id=app_id, pk=number)


def _describe_progress(request: PersonRequest, found: BulkAssignment) -> dict[str, object]:
    """What `_bulk_progress.html` shows."""
    is_at_work = found.state in bulk.AT_WORK
    counts = bulk.count_outcomes(found) if is_at_work else {}
    left = bulk.Outcome.ASSIGNED if found.state == "undoing" else bulk.Outcome.WAITING
    since = found.undone_at or found.confirmed_at or found.created_at
    return {
        "app": gateway.lending_app(found.app_id),
        "bulk": found,
        "all_rows": sum(counts.values()),
        "done_rows": sum(counts.values()) - counts.get(left, 0),
        "poll": polling.poll(request, since, _LONGEST, waiting=is_at_work, delays=polling.WATCHED),
    }
