"""Views with which a second manager decides about a change, or the first withdraws it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy

from lendingadmin.core.staff import deciding, reach, services
from lendingadmin.core.staff.models import PersonChange, User
from lendingadmin.core.staff.roles import MANAGE_PEOPLE
from lendingadmin.core.staff.second_manager import describe_change
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

from .people import apply_change, draw_setup_link

APPROVED = gettext_lazy("Approved: %(change)s.")
NOT_DONE = gettext_lazy("%(state)s. Nothing changed.")


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def change_approve(request: PersonRequest, number: int, change: int) -> HttpResponse:
    """Approve a change that another manager requested; redirect to the person.

    If the change is a set-up link, show the link instead, only once. If the change is refused, a
    message gives the reason.
    """
    asked = _get_change(request, number, change)
    try:
        found, path = deciding.approve_change(request, request.user, asked)
    except services.ChangeRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", number)
    if path:
        return draw_setup_link(request, found.person, path, mail=False)
    messages.success(request, APPROVED % {"change": describe_change(found)})
    return redirect("person", number)


@access(MANAGE_PEOPLE, methods=("POST",), confirmed=("POST",))
def change_decline(request: PersonRequest, number: int, change: int) -> HttpResponse:
    """Decline a change that another manager requested, or withdraw the manager's own request.

    Redirect to the person, with a message. If the change no longer waits, the message is an error.
    """
    asked = _get_change(request, number, change)

    def decline(by: User) -> str:
        found = deciding.decline_change(request, by, asked)
        return NOT_DONE % {"state": found.get_state_display()}

    return apply_change(request, number, decline)


def _get_change(request: PersonRequest, number: int, change: int) -> PersonChange:
    """Return a change of one of this manager's people. May raise Http404."""
    people = reach.list_people(request.user)
    return get_object_or_404(PersonChange, pk=change, person=number, person__in=people)
