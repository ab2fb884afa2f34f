"""Borrowers: the list, and the 360° view of one, panel by panel."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.borrowers import history, panels
from lendingadmin.borrowers.panels import Panel, Shown
from lendingadmin.borrowers.parts import SHOWN, open_parts
from lendingadmin.display.technical import list_technical
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.identity import check_named, is_named
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Borrower
from lendingadmin.search import opened
from lendingadmin.ui.access import access
from lendingadmin.ui.lists import read_page
from lendingadmin.ui.requests import PersonRequest

# What the page offers, by the right that it takes.
_MAY = {
    "patch": "lending.borrowers.patch",
    "delete": "lending.borrowers.delete",
    "offer": "lending.borrowers.getOffers",
    "assess": "lending.assessments.create",
}


@access("lending.borrowers.list")
def borrowers(request: PersonRequest, app_id: str) -> HttpResponse:
    """The borrowers of an app; the spec shows no filter for them."""
    listing = read_page(request, OPERATIONS["borrowers.list"], gateway.app(app_id).borrowers.list)
    context = {
        "list": listing,
        "may_create": request.user.has_perm("lending.borrowers.create"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "borrowers/list.html", context)


@access("lending.borrowers.get")
def borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """One borrower, all around.

    A browser gets the frame and loads the panels side by side; `?whole=1` is the same page with
    everything in it, read at once: without JavaScript, and for print.
    """
    whole = "whole" in request.GET
    seen = [panel for panel in panels.LISTS if request.user.has_perm(panel.permission)]
    app = gateway.app(app_id)
    if whole:
        asked = [panels.RECORD, *seen]
        reads = [panels.call(panel, app, borrower_id) for panel in asked]
        record, *others = read_in_parallel(gateway.client(), *reads)
        if isinstance(record, NotFound | InvalidId):
            raise record
        pairs = zip(seen, others, strict=True)
        shown = [Shown.of(panel, read, app_id, borrower_id) for panel, read in pairs]
        context = _of_record(Shown.of(panels.RECORD, record, app_id, borrower_id)) | _of_history(
            request, app_id, borrower_id
        )
    else:
        shown, context = [Shown(panel) for panel in seen], {"record": Shown(panels.RECORD)}
    context |= {"panels": shown, "whole": whole}
    page = _draw(request, "borrowers/borrower.html", app_id, borrower_id, context)
    if _is_named(context, borrower_id):
        opened.remember(request, app_id, "borrower", borrower_id)
    return page


@access("lending.borrowers.get")
def record_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The borrower's own record: title, person, devices, what else came, loan summaries."""
    shown = _read(panels.RECORD, app_id, borrower_id)
    template = f"borrowers/{'_record_fragment' if request.htmx else 'record'}.html"
    context = _of_record(shown)
    page = _draw(request, template, app_id, borrower_id, context)
    if _is_named(context, borrower_id):
        opened.remember(request, app_id, "borrower", borrower_id)
    return page


@access("lending.loans.list")
def loans_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The loan accounts of a borrower."""
    return _panel(request, panels.LOANS, app_id, borrower_id)


@access("lending.assessments.list")
def assessments_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The assessments of a borrower."""
    return _panel(request, panels.ASSESSMENTS, app_id, borrower_id)


@access("lending.events.list")
def events_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The newest events of a borrower."""
    return _panel(request, panels.EVENTS, app_id, borrower_id)


@access("lending.borrowers.get")
def history_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """What was done here with a borrower, and by whom."""
    template = "borrowers/_history.html" if request.htmx else "borrowers/history.html"
    context = _of_history(request, app_id, borrower_id)
    return _draw(request, template, app_id, borrower_id, context)


def _panel(request: PersonRequest, panel: Panel, app_id: str, borrower_id: str) -> HttpResponse:
    """One panel: a fragment for htmx, a page of its own for everybody else."""
    template = "borrowers/_panel.html" if request.htmx else "borrowers/panel.html"
    page_token = request.GET.get("pageToken") or None
    context: dict[str, object] = {"shown": _read(panel, app_id, borrower_id, page_token)}
    return _draw(request, template, app_id, borrower_id, context)


def _read(panel: Panel, app_id: str, borrower_id: str, page_token: str | None = None) -> Shown:
    """Read one panel, or one page of it; its fault is the panel's own."""
    result: Any
    try:
        result = panel.read(gateway.app(app_id), borrower_id, page_token)
    except LendingError as error:
        result = error
    return Shown.of(panel, result, app_id, borrower_id, page_token)


def _of_record(shown: Shown) -> dict[str, object]:
    found = shown.found.borrower if shown.found else None
    return {
        "record": shown,
        "borrower": found,
        "parts": open_parts(found) if found else [],
        "technical": list_technical(found, SHOWN) if found else [],
    }


def _is_named(context: dict[str, object], borrower_id: str) -> bool:
    """Whether the page shows a record that says that it is this borrower's."""
    found = context.get("borrower")
    return isinstance(found, Borrower) and is_named(found, borrower_id)


def _of_history(request: PersonRequest, app_id: str, borrower_id: str) -> dict[str, object]:
    done = history.of_borrower(request.user, app_id, borrower_id)
    return {"history": done, "history_read_at": timezone.now()}


def _draw(
    request: PersonRequest, template: str, app_id: str, borrower_id: str, context: dict[str, object]
) -> HttpResponse:
    app = gateway.lending_app(app_id)
    record = context.get("record")
    refused = isinstance(record, Shown) and record.is_read and not _is_named(context, borrower_id)
    may = {word: not refused and request.user.has_perm(right) for word, right in _MAY.items()}
    given = {
        "borrower_id": borrower_id,
        "account_id": account_id(borrower_id),
        "app": app,
        "may": may,
        "unidentified": refused and bool(context.get("borrower")),
    }
    return render(request, template, given | context)


@access("lending.borrowers.get")
def name(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The borrower's name alone, for pages that show a record of theirs."""
    try:
        found = check_named(gateway.app(app_id).borrowers.get(borrower_id), borrower_id)
    except LendingError:
        found = None
    context = {"borrower": found, "borrower_id": borrower_id, "app_id": app_id}
    return render(request, "borrowers/_name.html", context)
