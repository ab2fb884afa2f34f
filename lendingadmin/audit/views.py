"""The audit trail's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from lendingadmin.audit.forms import FilterForm
from lendingadmin.audit.models import Entry
from lendingadmin.staff.roles import VIEW_AUDIT
from lendingadmin.web.access import access

PAGE = 50


@access(VIEW_AUDIT)
def entries(request: HttpRequest) -> HttpResponse:
    """Who did what, newest first, a page at a time; the filters and the page are in the address.

    A page starts below an entry's number rather than at a count, so that entries written meanwhile
    shift nothing.
    """
    form = FilterForm(request.GET)
    rows = form.narrow(Entry.objects.all()) if form.is_valid() else Entry.objects.none()
    found = list(rows[: PAGE + 1])
    shown = found[:PAGE]
    context = {
        "form": form,
        "entries": shown,
        "filtered": any(form.cleaned_data.get(name) for name in form.fields if name != "before"),
        "pager": {
            "count": len(shown),
            "next_url": _address(request, shown[-1].id) if len(found) > PAGE else "",
            "first_url": _address(request) if form.cleaned_data.get("before") else "",
        },
    }
    return render(request, "audit/entries.html", context)


def _address(request: HttpRequest, before: int | None = None) -> str:
    """This page's address with the same filters, from the top or from below one entry."""
    query = request.GET.copy()
    query.pop("before", None)
    if before:
        query["before"] = str(before)
    return f"{request.path}?{query.urlencode()}"
