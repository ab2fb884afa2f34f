"""Pages that begin and stop a snapshot of the portfolio, and show the progress."""

from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import audit, gateway
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.web import polling
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

COUNT = "dashboard.portfolio.count"

# The page polls at most for this time. A hundred thousand loans take about a minute, but a slow
# service takes longer.
_LONGEST = timedelta(hours=1)
_STANDS_STILL = timedelta(minutes=1)


@access(COUNT, methods=("POST",))
def count(request: PersonRequest, app_id: str) -> HttpResponse:
    """Begin a snapshot, and record this in the audit trail; redirect to the home page.

    If a snapshot is already running, only show a message.
    """
    app = gateway.lending_app(app_id)
    row = tasks.start(app.app_id, request.user)
    if row is None:
        words = _("The portfolio is already being updated.")
        messages.info(request, words, extra_tags="already-running")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="started")
    return redirect("home", app_id)


@access(COUNT, methods=("POST",))
def stop(request: PersonRequest, app_id: str) -> HttpResponse:
    """Stop the running snapshot, and record this in the audit trail; redirect to the home page.

    The figures of the last complete snapshot remain. If no snapshot is running, only show a
    message.
    """
    app = gateway.lending_app(app_id)
    row = snapshot_job.stop(app.app_id, request.user)
    if row is None:
        words = _("Nothing to stop. The update has already ended.")
        messages.info(request, words, extra_tags="had-ended")
    else:
        audit.record(request, COUNT, app_id=app_id, subject=str(row), outcome="stopped")
    return redirect("home", app_id)


@access("lending.loans.list")
def progress(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the progress of the newest snapshot, as a fragment that polls until it ends.

    Raise Http404 before the first snapshot.
    """
    app = gateway.lending_app(app_id)
    row = snapshot_job.find_newest(app.app_id)
    if row is None:
        raise Http404("There is no update yet.")
    context = describe_progress(request, row) | {"app": app, "is_fragment": True}
    return render(request, "portfolio/_progress.html", context)


def describe_progress(request: PersonRequest, row: Snapshot) -> dict[str, object]:
    """Return the context of `_progress.html` for a snapshot."""
    now = timezone.now()
    return {
        "row": row,
        "poll": polling.poll(
            request,
            row.began_at,
            _LONGEST,
            waiting=row.state == Snapshot.State.RUNNING,
            delays=polling.WATCHED,
        ),
        "most": max(row.expected or 0, row.loans_read),
        "still": now - row.heartbeat_at > _STANDS_STILL,
    }
