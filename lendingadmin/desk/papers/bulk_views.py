"""Pages of papers in bulk: the form for a list, the progress and the refusals, and the print."""

from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.desk.collections.permissions import CALL
from lendingadmin.desk.collections.queues import open_queue
from lendingadmin.desk.portfolio.loan_lists import open_list
from lendingadmin.desk.portfolio.saved_lists import write_query
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.portfolio.views.borrower_lists import BorrowerListForm, list_borrower_ids
from lendingadmin.money.writes import idempotency
from lendingadmin.web import polling
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.keyset import Slice, build_pager
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest

from . import bulk, tasks
from .figures import describe_reason
from .forms import PaperForm
from .models import BulkPapers

PURPOSE = "papers.bulk"
_PAGE = 25
_EARLIER = 5
# The page polls at most for this time. Two thousand papers take minutes, but the service may be
# down.
_LONGEST = timedelta(hours=12)

State = BulkPapers.State
# The values of `of` in the address of a list of borrowers, and of a queue of calls.
BORROWERS, CALLS = "borrowers", "calls"


class Listed(NamedTuple):
    """A list: its title, its state as in the address, and its borrowers."""

    title: str
    query: str
    borrowers: list[str]


@access(*bulk.RIGHTS)
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for the papers of a list. Raise Http404 if there is no such list."""
    return _show_form(request, app_id, _open_list(request, app_id), _build_form(app_id, None))


@access(*bulk.RIGHTS, methods=("POST",), quota=EXPORTS)
def begin(request: PersonRequest, app_id: str) -> HttpResponse:
    """Start the papers of a list once, and redirect to their page. The worker makes them.

    If the form is not valid or too old, the form is shown again.
    """
    found, form = _open_list(request, app_id), _build_form(app_id, request.POST)
    if form.is_valid():
        try:
            key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
        except idempotency.StaleKey:
            form.add_error(None, idempotency.TOO_LONG)
        else:
            given = form.cleaned_data
            if found.borrowers and len(found.borrowers) <= bulk.MOST:
                days = (given["firstDay"], given["lastDay"])
                choice = bulk.Choice(given["kind"], given["language"], *days)
                saved = bulk.begin(app_id, *found[1:], choice, request.user, key)
                tasks.make_papers.enqueue(saved.pk)
                return redirect(saved)
    return _show_form(request, app_id, found, form)


def _open_list(request: PersonRequest, app_id: str) -> Listed:
    """Return the list of loans or borrowers, or the queue of calls, in the address.

    Raise Http404 if there is none.
    """
    app, snapshot = gateway.lending_app(app_id), find_with_loans(app_id)
    if request.GET.get("of") == CALLS:
        key = request.GET.get("queue", "")
        queue = open_queue(app, key, timezone.now(), request.user)
        if queue and request.user.has_perm(CALL):
            parts = [rows.values_list("borrower_id", flat=True) for rows in queue.parts]
            named = dict.fromkeys(one for rows in parts for one in bulk.list_borrowers(rows))
            query = urlencode({"queue": key, "of": CALLS})
            return Listed(str(queue.label), query, list(named))
    elif request.GET.get("of") == BORROWERS and snapshot:
        form = BorrowerListForm(request.GET, app_id, request.user)
        if form.is_valid():
            rows = list_borrower_ids(app, snapshot, form.cleaned_data, request.user)
            wanted = {name: value for name, value in form.cleaned_data.items() if value}
            borrowers = bulk.list_borrowers(rows.distinct().order_by("borrower_id"))
            return Listed(_("Borrowers"), urlencode({**wanted, "of": BORROWERS}), borrowers)
    elif (found := open_list(app, request.GET.dict())) and found.is_valid:
        borrowers = bulk.list_borrowers(found.rows.values_list("borrower_id", flat=True))
        return Listed(found.title, write_query(found.wanted), borrowers)
    raise Http404("The address has no valid list, or there is no update of the loans yet.")


def _find_list_url(app_id: str, query: str) -> str:
    """Return the address of the list of loans or borrowers, or of the queue of calls."""
    found = QueryDict(query)
    if found.get("of") == CALLS:
        return reverse("queue", args=[app_id, found["queue"]])
    route = "borrower-list" if found.get("of") == BORROWERS else "loan-list"
    return f"{reverse(route, args=[app_id])}?{query}"


def _build_form(app_id: str, data: Any) -> PaperForm:
    return PaperForm(
        data,
        today=timezone.localdate(timezone=gateway.lending_app(app_id).zone),
        kinds=bulk.KINDS,
        initial={"language": read_lender(app_id).language},
    )


def _show_form(request: PersonRequest, app_id: str, found: Listed, form: PaperForm) -> HttpResponse:
    earlier = BulkPapers.objects.filter(app_id=app_id).select_related("created_by")
    context = {
        "app": gateway.lending_app(app_id),
        "found": found,
        "list_url": _find_list_url(app_id, found.query),
        "form": form,
        "kinds": bulk.KINDS,
        "borrowers": len(found.borrowers),
        "most": bulk.MOST,
        "earlier": earlier.order_by("-id")[:_EARLIER],
        "token": idempotency.issue_key(request, PURPOSE),
    }
    return render(request, "papers/bulk_new.html", context)


@access(*bulk.RIGHTS)
def show(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the progress of papers in bulk, and the borrowers without a paper."""
    found = _find(app_id, number)
    behind = whole_number(request.GET.get("after")) or 0
    rows = found.rows.exclude(code="").filter(paper=None, pk__gt=behind).order_by("id")
    page = list(rows[: _PAGE + 1])
    shown = Slice(page[:_PAGE], page[_PAGE - 1].pk if len(page) > _PAGE else None)
    zone = gateway.lending_app(app_id).zone
    refused = [
        (row, describe_reason(row.code, row.account_id, row.until, zone)) for row in shown.rows
    ]
    context = _describe_progress(request, found) | {
        "refused": refused,
        "refused_rows": shown.rows,
        "pager": build_pager(request, shown, "after"),
    }
    return render(request, "papers/bulk.html", context)


@access(*bulk.RIGHTS)
def progress(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the progress as a fragment that polls while the worker is busy."""
    context = _describe_progress(request, _find(app_id, number)) | {"is_fragment": True}
    return render(request, "papers/_bulk_progress.html", context)


@access(*bulk.RIGHTS, methods=("POST",))
def resume(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Continue paused papers; redirect to their page, with a warning if they are not paused."""
    found = _find(app_id, number)
    if bulk.resume(found):
        tasks.make_papers.enqueue(found.pk)
    else:
        messages.warning(request, _("Nothing changed. The papers are not paused."))
    return redirect(found)


@access(*bulk.RIGHTS, methods=("POST",), quota=EXPORTS)
def print_all(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show all papers that are made, for printing; the trail records each opening.

    The page is the response to a POST, so loading it again is a reprint. Each paper then says that
    it is a reprint.
    """
    found = _find(app_id, number)
    papers = [
        (paper, content, opened_at)
        for paper, opened_at in bulk.note_printing(found, request.user)
        if (content := paper.read_content())
    ]
    context = {
        "bulk": found,
        "papers": papers,
        "app": gateway.lending_app(app_id),
        "clerks_language": translation.get_language(),
    }
    # The papers are in the customers' language and the lender's time zone, whatever the clerk's
    # are.
    with translation.override(found.language), formats.use_zone(lambda: None):
        return HttpResponse(render_to_string("papers/bulk_paper.html", context, request))


def _find(app_id: str, number: int) -> BulkPapers:
    rows = BulkPapers.objects.select_related("created_by")
    return get_object_or_404(rows, app_id=app_id, pk=number)


def _describe_progress(request: PersonRequest, found: BulkPapers) -> dict[str, object]:
    return {
        "bulk": found,
        "list_url": _find_list_url(found.app_id, found.query),
        "app": gateway.lending_app(found.app_id),
        "progress": bulk.read_progress(found),
        "poll": polling.poll(
            request,
            found.created_at,
            _LONGEST,
            waiting=found.state == State.RUNNING,
            delays=polling.WATCHED,
        ),
    }
