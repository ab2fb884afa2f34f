"""The desk: the book at a glance, what is unknown, one's own work."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.readers import LendingApp
from lendingadmin.repayments import book, mistakes, watching
from lendingadmin.repayments.models import Mistake
from lendingadmin.web import following
from lendingadmin.web.access import access, signed_in
from lendingadmin.web.models import Write
from lendingadmin.web.requests import PersonRequest

from . import book_views, counting, glance

_RECENT = 10
_LOOKS_PER_VISIT = 3
# A worker at other work takes up a counting that is due this late.
_LATE = timedelta(minutes=2)


@signed_in()
def home(request: PersonRequest) -> HttpResponse:
    """The start page is the desk of the first app."""
    return redirect("desk", settings.LENDING_APPS[0].app_id)


@access("lending.loans.list")
def desk(request: PersonRequest, app_id: str) -> HttpResponse:
    """What waits for somebody, and what I did last."""
    app = gateway.lending_app(app_id)
    watching.look_at_due(app_id, at_most=_LOOKS_PER_VISIT)
    context = {
        "today": book.day(app, book.midnight(timezone.localdate(), app.zone)),
        "may_close_day": request.user.has_perm("dashboard.repayments.statement"),
        "alarms": book.alarms(app_id),
        "mistakes": _to_review(request, app_id),
        "in_doubt": _in_doubt(request, app_id),
        "unsettled": book.unsettled(app_id)[:_RECENT],
        "recent": book.of_person(app_id, request.user.pk)[:_RECENT],
        "app": app,
        **_book(request, app),
    }
    return render(request, "portfolio/desk.html", context)


def _book(request: PersonRequest, app: LendingApp) -> dict[str, object]:
    """The book as it was last counted, and what becomes of the newest counting; reads no loan."""
    last = counting.newest(app.app_id)
    due = counting.due(last) if last else None
    return {
        "glance": glance.glance(app) if last else None,
        "last": last,
        "may_count": request.user.has_perm(book_views.COUNT),
        "every": settings.SNAPSHOT_EVERY,
        "due": due,
        "is_missed": due is not None and due < timezone.now() - _LATE,
        **(book_views.how_far(request, last) if last else {}),
    }


def _to_review(request: PersonRequest, app_id: str) -> list[Mistake]:
    """Reported mistakes, for those who review them."""
    if not request.user.has_perm(mistakes.REVIEW):
        return []
    return list(mistakes.open_in(app_id)[:_RECENT])


def _in_doubt(request: PersonRequest, app_id: str) -> list[tuple[str, Write]]:
    """Other writes whose outcome is not known, in words: one's own, and for managers all."""
    everybody = request.user.has_perm(following.SETTLE)
    found = following.in_doubt(app_id, None if everybody else request.user)
    return [(following.words_of(write), write) for write in found]
