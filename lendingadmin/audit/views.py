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
    form.is_valid()
    found = list(form.narrow(Entry.objects.all())[: PAGE + 1])
    older = request.GET.copy()
    if len(found) > PAGE:
        older["before"] = str(found[PAGE - 1].id)
    newest = request.GET.copy()
    newest.pop("before", None)
    context = {
        "form": form,
        "entries": found[:PAGE],
        "older": older.urlencode() if len(found) > PAGE else "",
        "newest": newest.urlencode() if form.cleaned_data.get("before") else None,
        "filtered": any(form.cleaned_data.get(name) for name in form.fields if name != "before"),
    }
    return render(request, "audit/entries.html", context)
