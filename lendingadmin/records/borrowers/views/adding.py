"""Pages to register and to delete a borrower."""

from dataclasses import replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import DEVELOPER, SEARCH_BORROWERS
from lendingadmin.lending.identity import delete_named
from lendingadmin.lending.values import Borrower
from lendingadmin.money.writes import services
from lendingadmin.people.index import live
from lendingadmin.people.index.find import find_alike, find_index
from lendingadmin.records.borrowers import suggestions
from lendingadmin.records.borrowers.forms import DeleteForm, NewBorrowerForm
from lendingadmin.records.borrowers.policies import read_required
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.fields import minted_borrower_id
from lendingadmin.web.masking import list_rights, mask_item
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest

_ODD_PHONE = gettext_lazy(
    "The phone number is saved as you typed it. But the number is not a complete number of "
    "this country."
)


@access("lending.borrowers.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form of a new borrower. A POST registers the borrower and redirects to the record.

    If there are similar borrowers, the page shows them until the person confirms the registration.
    If the service refuses, the page gives the reason. If the outcome is unknown, redirect to the
    write.
    """
    entered = request.POST if request.method == "POST" else None
    again = services.entered(request, NewBorrowerForm.operation, app_id).sent
    first = {"borrowerId": again.get("borrowerId") or minted_borrower_id()}
    record = {} if entered else again
    form = NewBorrowerForm(
        entered,
        request=request,
        record=record,
        required=read_required(app_id),
        initial=first,
        is_developer=request.user.has_perm(DEVELOPER),
    )
    context: dict[str, Any] = {}
    if form.is_valid():
        context = _describe_alike(request, app_id, form)
        if not context:
            url, context["card"] = _register(request, app_id, form)
            if url:
                return redirect(url)
    context |= {"form": form, "app": gateway.lending_app(app_id)}
    return render(request, "borrowers/new.html", context)


def _describe_alike(request: PersonRequest, app_id: str, form: NewBorrowerForm) -> dict[str, Any]:
    """Return the context with similar borrowers.

    The context is empty if there are none, or after the person has confirmed.

    “Register anyway” is valid only for the borrowers that were shown, because changed data may be
    similar to other borrowers.
    """
    index = find_index(app_id)
    borrower = Borrower(form.result())
    alike = find_alike(index, borrower) if index else []
    # If the form is sent twice, the second request must not find the borrower of the first request.
    alike = [one for one in alike if one.person.borrower_id != form.cleaned_data["borrowerId"]]
    shown = sha256("\n".join(sorted(one.person.borrower_id for one in alike)).encode()).hexdigest()
    if not alike or request.POST.get("anyway") == shown:
        return {}
    same = dict.fromkeys(word for one in alike for word in one.same)
    return {
        "alike": alike,
        "same": list(same),
        "anyway": shown,
        "may_search": request.user.has_perm(SEARCH_BORROWERS),
    }


def _register(
    request: PersonRequest, app_id: str, form: NewBorrowerForm
) -> tuple[str, Card | None]:
    """Send the form; return the address of the next page, or the card of the error."""
    borrower_id, body = form.cleaned_data["borrowerId"], form.result()
    outcome = form.send(
        lambda: live.keep(app_id, gateway.app(app_id).borrowers.create(body)),
        lambda _made: reverse("borrower", args=[app_id, borrower_id]),
        saved=_("Registered."),
        sent=body,
        app_id=app_id,
        subject=borrower_id,
        again_at=reverse("borrower-new", args=[app_id]),
    )
    if outcome.saved and form.has_odd_phone:
        messages.warning(request, _ODD_PHONE)
    card = outcome.card
    if card and card.status == HTTPStatus.CONFLICT:
        there = reverse("borrower", args=[app_id, borrower_id])
        card = replace(card, links=((_("Open the existing borrower"), there),))
    return outcome.url, card


@access("lending.borrowers.list")
def used_values(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the values that borrowers already have, for the form; none if they can't be read."""
    gateway.lending_app(app_id)
    return render(request, "borrowers/_used_values.html", {"used": suggestions.read_used(app_id)})


@access(
    *("lending.borrowers.delete", "lending.borrowers.get"),
    methods=("GET", "POST"),
    confirmed=("GET", "POST"),
    quota=READS,
)
def delete(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the form for the borrower's id; a POST with this id deletes the borrower.

    The service decides if this is allowed. The POST redirects to the borrowers. If the service
    refuses, the page gives the reason. If the outcome is unknown, redirect to the write.
    """
    form = DeleteForm(request.POST or None, request=request, borrower_id=borrower_id)
    card = None
    if form.is_valid():
        borrowers = gateway.app(app_id).borrowers
        outcome = form.send(
            lambda: delete_named(borrowers.get, borrowers.delete, borrower_id, form.operation),
            lambda _made: reverse("borrowers", args=[app_id]),
            saved=_("Borrower %(id)s is deleted.") % {"id": borrower_id},
            app_id=app_id,
            subject=borrower_id,
        )
        if outcome.saved:
            live.erase(app_id, borrower_id)
        if outcome.url:
            return redirect(outcome.url)
        card = outcome.card
    found, _error = errors.read_for_form(request, gateway.app(app_id).borrowers.get, borrower_id)
    context = {
        "form": form,
        "card": card,
        "borrower": mask_item(found, list_rights(request.user)) if found else None,
        "borrower_id": borrower_id,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "borrowers/delete.html", context)
