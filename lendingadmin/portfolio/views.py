"""The desk: find a record, see what is unknown, go on with one's own work."""

from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.parallel import together
from lendingadmin.repayments import book, watching
from lendingadmin.web import errors
from lendingadmin.web.access import access, signed_in
from lendingadmin.web.requests import PersonRequest

_RECENT = 10
_LOOKS_PER_VISIT = 3


@signed_in()
def home(request: PersonRequest) -> HttpResponse:
    """The start page is the desk of the first app."""
    return redirect("desk", settings.LENDING_APPS[0].app_id)


@access("lending.loans.list")
def desk(request: PersonRequest, app_id: str) -> HttpResponse:
    """What waits for somebody, and what I did last."""
    watching.look_at_due(app_id, at_most=_LOOKS_PER_VISIT)
    context = {
        "today": book.day(app_id, _midnight()),
        "alarms": book.alarms(app_id),
        "unsettled": book.unsettled(app_id)[:_RECENT],
        "recent": book.of_person(app_id, request.user.pk)[:_RECENT],
        "app": gateway.lending_app(app_id),
    }
    return render(request, "portfolio/desk.html", context)


def _midnight() -> datetime:
    """When today began where the lender is."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


@access("lending.loans.get")
def find(request: PersonRequest, app_id: str) -> HttpResponse:
    """Open a borrower or loan by id; both are looked up at the same time."""
    wanted = request.GET.get("q", "").strip()
    if not wanted:
        return redirect("desk", app_id)
    app = gateway.app(app_id)
    borrower_id = wanted.removeprefix("borrower:")
    borrower, loan = together(
        gateway.client(),
        partial(app.borrowers.get, borrower_id),
        partial(app.loans.get, wanted),
    )
    found = {
        "borrower": None if isinstance(borrower, LendingError) else borrower,
        "loan": None if isinstance(loan, LendingError) else loan,
    }
    if found["borrower"] and not found["loan"] and _is_absent(loan):
        return redirect("borrower", app_id, borrower_id)
    if found["loan"] and not found["borrower"] and _is_absent(borrower):
        return redirect("loan", app_id, wanted)
    context = found | {
        "wanted": wanted,
        "borrower_id": borrower_id,
        "cards": [errors.card(fault) for fault in (borrower, loan) if _is_fault(fault)],
        "app": gateway.lending_app(app_id),
    }
    return render(request, "portfolio/find.html", context)


def _is_absent(result: Any) -> bool:
    """Whether the service said that there is no such record, or no record can bear such an id."""
    return isinstance(result, NotFound | InvalidId)


def _is_fault(result: Any) -> bool:
    """Whether it could not be looked up: not the same as not being there."""
    return isinstance(result, LendingError) and not _is_absent(result)
