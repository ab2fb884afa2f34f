"""Pages of hand-overs between officers."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import services
from lendingadmin.desk.assignments.forms import HandOverForm
from lendingadmin.desk.assignments.models import HandOver
from lendingadmin.desk.assignments.permissions import CHANGE, HAND_OVER
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

_MOST = 200


@access(HAND_OVER, methods=("GET", "POST"))
def hand_overs(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the current and future hand-overs; a POST adds a hand-over and redirects to this page.

    Managers see all hand-overs; other people see their own. If the officer already has a stand-in
    on one of the days, the form shows an error.
    """
    app, person = gateway.lending_app(app_id), request.user
    today = timezone.localdate(timezone=app.zone)
    may_change = person.has_perm(CHANGE)
    only = None if may_change else person
    form = HandOverForm(request.POST or None, app_id=app_id, today=today, only=only)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        people, days = (given["officer"], given["standIn"]), (given["firstDay"], given["lastDay"])
        if services.hand_over(app_id, *people, *days, person):
            messages.success(request, _("Saved. The borrowers are handed over."))
            return redirect("hand-overs", app_id)
        words = _("The officer already has a stand-in on some of these days.")
        form.add_error("firstDay", ValidationError(words, code="taken"))
    rows = HandOver.objects.filter(app_id=app_id, ended_at=None, last_day__gte=today)
    if not may_change:
        rows = rows.filter(Q(officer=person) | Q(stand_in=person))
    rows = rows.select_related("officer", "stand_in").order_by("last_day", "id")
    context = {
        "app": app,
        "form": form,
        "today": today,
        "rows": [(row, _may_end(person, row)) for row in rows[:_MOST]],
    }
    return render(request, "assignments/hand_overs.html", context)


@access(HAND_OVER, methods=("POST",))
def end(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """End a hand-over early; redirect to the hand-overs.

    If the hand-over had already ended, show no message.

    Raise Http404 for a hand-over that the person may not end.
    """
    row = get_object_or_404(HandOver, app_id=app_id, pk=number)
    if not _may_end(request.user, row):
        raise Http404("This hand-over belongs to another person.")
    if services.end_hand_over(row, request.user):
        messages.success(request, _("Saved. The hand-over has ended."))
    return redirect("hand-overs", app_id)


def _may_end(person: User, row: HandOver) -> bool:
    """Return True if the person may end a hand-over: the officer who is away, or a manager."""
    return row.officer_id == person.pk or person.has_perm(CHANGE)
