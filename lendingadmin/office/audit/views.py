"""Page of the audit trail."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from lendingadmin.core.staff.roles import VIEW_AUDIT
from lendingadmin.office.audit.forms import FilterForm
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.requests import PersonRequest

PAGE = 50


@access(VIEW_AUDIT)
def entries(request: PersonRequest) -> HttpResponse:
    """Show the actions of people, newest first. The query has the filters and the page.

    The list has the entries of the apps whose trail the person may see, and entries without an app,
    such as those about people. A page starts after an entry and not at a number, so that new
    entries do not move rows to other pages. Times and days are in the person's zone.
    """
    lenders_zone = settings.LENDING_APPS[0].zone
    form = FilterForm(request.GET, zone=formats.zone() or lenders_zone, by=request.user)
    page = Slice([])
    if form.is_valid():
        behind = form.cleaned_data["before"]
        page = read_slice(form.rows(), "at", PAGE, behind=behind, only=form.others())
    context = {
        "form": form,
        "entries": page.rows,
        "zone": lenders_zone,
        "pager": build_pager(request, page),
    }
    return render(request, "audit/entries.html", context)
