"""Counting the book, how far it is, and the loans behind each figure."""

from datetime import timedelta
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import audit, gateway
from lendingadmin.web import beside, polling, tables
from lendingadmin.web.access import access
from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, whole_number
from lendingadmin.web.requests import PersonRequest

from . import counting, tasks
from .behind import NotKept, asked_for
from .columns import columns
from .models import Snapshot

COUNT = "dashboard.portfolio.count"
# A hundred thousand loans take a minute or so; a service that is slow takes longer.
_LONGEST = timedelta(hours=1)
_STANDS_STILL = timedelta(minutes=1)
State = Snapshot.State


@access(COUNT, methods=("POST",))
def count(request: PersonRequest, app_id: str) -> HttpResponse:
    """Have the book counted; where it is being counted, that is enough."""
    app = gateway.lending_app(app_id)
    row = tasks.start(app.app_id, request.user)
    if row is None:
        messages.info(request, "The book is being counted already.")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="started")
    return redirect("desk", app_id)


@access(COUNT, methods=("POST",))
def stop(request: PersonRequest, app_id: str) -> HttpResponse:
    """Stop the counting under way; the figures of the last complete one stay."""
    app = gateway.lending_app(app_id)
    row = counting.stop(app.app_id, request.user)
    if row is None:
        messages.info(request, "There was nothing to stop: the counting had ended.")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="stopped")
    return redirect("desk", app_id)


@access("lending.loans.list")
def progress(request: PersonRequest, app_id: str) -> HttpResponse:
    """How far the counting is: a fragment that asks again until it ends."""
    app = gateway.lending_app(app_id)
    row = counting.newest(app.app_id)
    if row is None:
        raise Http404("Nothing was counted here.")
    context = how_far(request, row) | {"app": app, "is_fragment": True}
    return render(request, "portfolio/_progress.html", context)


def how_far(request: PersonRequest, row: Snapshot) -> dict[str, object]:
    """What `_progress.html` shows of a counting."""
    now = timezone.now()
    counts = row.state == State.COUNTING
    return {
        "row": row,
        "poll": polling.poll(
            request, row.began_at, _LONGEST, waiting=counts, delays=polling.WATCHED
        ),
        "most": max(row.expected or 0, row.loans_read),
        "still": now - row.heartbeat_at > _STANDS_STILL,
    }


@access("lending.loans.list")
def loans(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """The loans behind one figure of a snapshot, as they were then; the largest first."""
    app = gateway.lending_app(app_id)
    try:
        snapshot, found = asked_for(app.app_id, number, request.GET)
    except NotKept:
        return render(request, "portfolio/gone.html", {"app": app}, status=404)
    skip = whole_number(request.GET.get("from"))
    page = list(found.rows[skip : skip + DEFAULT_PAGE_SIZE + 1])
    context = {
        "behind": found,
        "snapshot": snapshot,
        "table": tables.draw(
            columns(app, found.amount, beside.mark(request)), page[:DEFAULT_PAGE_SIZE]
        ),
        "pager": _pager(request, skip, len(page)),
        "empty": not page,
        "app": app,
    }
    return render(request, "portfolio/loans.html", context)


def _pager(request: PersonRequest, skip: int, found: int) -> dict[str, object]:
    """What `_pager.html` shows. A snapshot does not change, so a place in it is a number."""
    here = f"{request.path}?{urlencode({'by': request.GET.get('by', '')})}"
    return {
        "count": min(found, DEFAULT_PAGE_SIZE),
        "next_url": f"{here}&from={skip + DEFAULT_PAGE_SIZE}" if found > DEFAULT_PAGE_SIZE else "",
        "first_url": here if skip else "",
    }
