"""Pages of the unallocated payments: the list, the owner, and the choice of another place."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import places, rows
from lendingadmin.desk.statements.forms import PlaceForm
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import Place, Standing
from lendingadmin.desk.statements.models import StatementLine
from lendingadmin.web.access import access
from lendingadmin.web.keyset import COUNTED, Slice, build_pager, spell_count
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_PAGE = 50


@access(READ)
def tray(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the unallocated payments, the oldest first."""
    lines, start = places.list_unallocated(app_id), whole_number(request.GET.get("after")) or 0
    some = list(lines[start : start + _PAGE + 1])
    shown = rows.describe_lines(request.user, [(one, Standing.MISSING) for one in some[:_PAGE]])
    page = Slice(shown, start + _PAGE if len(some) > _PAGE else None)
    context = {
        "lines": shown,
        "pager": build_pager(request, page, "after"),
        "count": spell_count(lines[: COUNTED + 1].count()),
        "may_record": all(request.user.has_perm(name) for name in RECORD),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/unallocated.html", context)


@access(*RECORD, READ, methods=("POST",))
def take(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Make this person the owner of a payment, if it is still unallocated; redirect to the list."""
    places.take(_find(app_id, number), request.user)
    return redirect("unallocated", app_id)


@access(*RECORD, READ, methods=("GET", "POST"))
def place(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the form for the place of an unallocated payment; a POST saves place and reason.

    The money was returned, is not ours or is recorded elsewhere. The POST redirects to the
    unallocated payments, with a warning if another person has already changed the place.
    """
    line, form = _find(app_id, number), PlaceForm(request.POST or None)
    if form.is_valid():
        where, reason = Place(form.cleaned_data["place"]), form.cleaned_data["reason"]
        if not places.put(line, where, reason, request.user):
            messages.warning(
                request,
                _(
                    "Not saved. Another person has already changed this payment. Load the page "
                    "again."
                ),
            )
        return redirect("unallocated", app_id)
    (shown,) = rows.describe_lines(request.user, [(line, Standing.MISSING)])
    context = {"form": form, "shown": shown, "app": gateway.lending_app(app_id)}
    return render(request, "statements/place.html", context)


def _find(app_id: str, number: int) -> StatementLine:
    lines = StatementLine.objects.select_related("file", "owner")
    return get_object_or_404(lines, file__app_id=app_id, pk=number, place=Place.UNALLOCATED)
