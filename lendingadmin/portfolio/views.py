"""The desk, snapshots of the portfolio, and the loans behind each figure."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import F, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import audit, gateway
from lendingadmin.gateway import LendingApp
from lendingadmin.repayments import mistakes, reconciliation
from lendingadmin.repayments.managers import get_midnight
from lendingadmin.repayments.models import Repayment
from lendingadmin.ui import polling
from lendingadmin.ui.access import access, signed_in
from lendingadmin.ui.keyset import Slice, read_slice, spell_count
from lendingadmin.ui.lists import DEFAULT_PAGE_SIZE, whole_number
from lendingadmin.ui.requests import PersonRequest, address_with
from lendingadmin.writes import reconciliation as write_reconciliation

from . import dashboard, snapshot_job, tasks
from .drilldown import NotKept, find_drilldown
from .models import Snapshot

COUNT = "dashboard.portfolio.count"

_RECENT = 10
_CHECKS_PER_VISIT = 3
# A busy worker may begin a snapshot that is due this late.
_LATE = timedelta(minutes=2)
# A hundred thousand loans take about a minute; a slow service takes longer.
_LONGEST = timedelta(hours=1)
_STANDS_STILL = timedelta(minutes=1)
State = Snapshot.State


@signed_in()
def home(request: PersonRequest) -> HttpResponse:
    """The start page is the desk of the first app."""
    return redirect("desk", settings.LENDING_APPS[0].app_id)


@access("lending.loans.list")
def desk(request: PersonRequest, app_id: str) -> HttpResponse:
    """What needs attention, and what this person did last."""
    app = gateway.lending_app(app_id)
    reconciliation.check_due(app_id, at_most=_CHECKS_PER_VISIT)
    repayments = Repayment.objects.all()
    context = {
        "today": repayments.summarise_day(app, get_midnight(timezone.localdate(), app.zone)),
        "may_close_day": request.user.has_perm("dashboard.repayments.statement"),
        "alarms": _read_oldest(repayments.with_unseen_alarm(app_id), column="alarm_at"),
        "mistakes": _list_mistakes(request, app_id),
        "unconfirmed": write_reconciliation.list_unconfirmed(app_id, request.user),
        "write_alarms": write_reconciliation.list_alarms(app_id, request.user),
        "unknown_count": spell_count(repayments.count_unknown(app_id)),
        "unresolved": _read_oldest(repayments.needing_checks(app_id), column="created_at"),
        "recent": repayments.of_person(app_id, request.user.pk)[:_RECENT],
        "app": app,
        **_describe_portfolio(request, app),
    }
    return render(request, "portfolio/desk.html", context)


def _describe_portfolio(request: PersonRequest, app: LendingApp) -> dict[str, object]:
    """The last complete snapshot, and how far the newest is; reads no loan from the service."""
    last = snapshot_job.find_newest(app.app_id)
    due = snapshot_job.find_next_due(last) if last else None
    return {
        "summary": dashboard.build_summary(app) if last else None,
        "last": last,
        "may_count": request.user.has_perm(COUNT),
        "every": settings.SNAPSHOT_EVERY,
        "due": due,
        "is_missed": due is not None and due < timezone.now() - _LATE,
        **(describe_progress(request, last) if last else {}),
    }


def _read_oldest(rows: QuerySet[Any], column: str) -> Slice:
    """The entries that have waited longest, and how many there are in total."""
    return read_slice(rows, column, _RECENT, newest_first=False)


def _list_mistakes(request: PersonRequest, app_id: str) -> Slice:
    """Reported mistakes, for people who may review them."""
    if not request.user.has_perm(mistakes.REVIEW):
        return Slice([])
    return _read_oldest(mistakes.list_open(app_id), column="reported_at")


@access(COUNT, methods=("POST",))
def count(request: PersonRequest, app_id: str) -> HttpResponse:
    """Begin a snapshot, unless one is running."""
    app = gateway.lending_app(app_id)
    row = tasks.start(app.app_id, request.user)
    if row is None:
        messages.info(request, "The book is being counted already.")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="started")
    return redirect("desk", app_id)


@access(COUNT, methods=("POST",))
def stop(request: PersonRequest, app_id: str) -> HttpResponse:
    """Stop the running snapshot; the figures of the last complete one stay."""
    app = gateway.lending_app(app_id)
    row = snapshot_job.stop(app.app_id, request.user)
    if row is None:
        messages.info(request, "There was nothing to stop: the counting had ended.")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="stopped")
    return redirect("desk", app_id)


@access("lending.loans.list")
def progress(request: PersonRequest, app_id: str) -> HttpResponse:
    """How far the snapshot is: a fragment that polls until it ends."""
    app = gateway.lending_app(app_id)
    row = snapshot_job.find_newest(app.app_id)
    if row is None:
        raise Http404("Nothing was counted here.")
    context = describe_progress(request, row) | {"app": app, "is_fragment": True}
    return render(request, "portfolio/_progress.html", context)


def describe_progress(request: PersonRequest, row: Snapshot) -> dict[str, object]:
    """What `_progress.html` shows of a snapshot."""
    now = timezone.now()
    return {
        "row": row,
        "poll": polling.poll(
            request,
            row.began_at,
            _LONGEST,
            waiting=row.state == State.RUNNING,
            delays=polling.WATCHED,
        ),
        "most": max(row.expected or 0, row.loans_read),
        "still": now - row.heartbeat_at > _STANDS_STILL,
    }


@access("lending.loans.list")
def loans(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """The loans behind one figure of a snapshot, as they were then; the largest first."""
    app = gateway.lending_app(app_id)
    try:
        snapshot, found = find_drilldown(app.app_id, number, request.GET)
    except NotKept:
        return render(request, "portfolio/gone.html", {"app": app}, status=404)
    skip = whole_number(request.GET.get("from"))
    rows = found.rows.annotate(figure=F(found.amount))
    page = list(rows[skip : skip + DEFAULT_PAGE_SIZE + 1])
    context = {
        "drilldown": found,
        "snapshot": snapshot,
        "loans": page[:DEFAULT_PAGE_SIZE],
        "pager": _pager(request, skip, len(page)),
        "app": app,
    }
    return render(request, "portfolio/loans.html", context)


def _pager(request: PersonRequest, skip: int, found: int) -> dict[str, object]:
    """What `_pager.html` shows. A snapshot does not change, so a place in it is a number."""
    following = address_with(request, {"from": str(skip + DEFAULT_PAGE_SIZE)})
    return {
        "count": min(found, DEFAULT_PAGE_SIZE),
        "next_url": following if found > DEFAULT_PAGE_SIZE else "",
        "first_url": address_with(request, {"from": ""}) if skip else "",
    }
