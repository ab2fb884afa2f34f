"""The loans behind one figure of a snapshot."""

from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.portfolio.drilldown import NotKept, OlderFigures, find_drilldown
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.web.access import access
from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, whole_number
from lendingadmin.web.requests import PersonRequest, address_with


@access("lending.loans.list")
def loans(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """The loans behind one figure of a snapshot, as they were then; the largest first."""
    app = gateway.lending_app(app_id)
    try:
        snapshot, found = find_drilldown(app.app_id, number, request.GET)
    except NotKept as error:
        newest = find_with_loans(app.app_id)
        context = {
            "is_older": isinstance(error, OlderFigures),
            "newest_url": _list_of(app, newest, request.GET.get("by", "")) if newest else "",
        }
        return render(request, "portfolio/gone.html", context, status=404)
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


def _list_of(app: LendingApp, snapshot: Snapshot, by: str) -> str:
    """The address of a figure's loans in a count."""
    kwargs = {"app_id": app.app_id, "number": snapshot.pk}
    return reverse("book-loans", kwargs=kwargs, query={"by": by})


def _pager(request: PersonRequest, skip: int, found: int) -> dict[str, object]:
    """What `_pager.html` shows. A snapshot does not change, so a place in it is a number."""
    following = address_with(request, {"from": str(skip + DEFAULT_PAGE_SIZE)})
    return {
        "count": min(found, DEFAULT_PAGE_SIZE),
        "next_url": following if found > DEFAULT_PAGE_SIZE else "",
        "first_url": address_with(request, {"from": ""}) if skip else "",
    }
