"""Registering a borrower, and deleting one."""

from dataclasses import replace
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from lendingadmin import gateway
from lendingadmin.borrowers.forms import BorrowerForm, DeleteForm, NewForm
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import check_named, refuse_stranger
from lendingadmin.lending.values import Borrower
from lendingadmin.ui.access import access
from lendingadmin.ui.errors import Card
from lendingadmin.ui.requests import PersonRequest
from lendingadmin.writes import idempotency, services

_STALE = "This form was open for too long. Check it and send it again."


@access("lending.borrowers.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Register a person or company, with devices, settings and loans from elsewhere."""
    app, card = gateway.lending_app(app_id), None
    asks_for_rows = "more" in request.POST
    entered = request.POST if request.method == "POST" else None
    again = services.entered(request, "borrowers.create", app_id).sent
    form = BorrowerForm({} if entered else again, entered, check=not asks_for_rows, new=True)
    first = NewForm(entered if entered and not asks_for_rows else None)
    first.initial["borrowerId"] = again.get("borrowerId", "")
    if asks_for_rows:
        first.initial["borrowerId"] = request.POST.get("borrowerId", "")
    if entered and not asks_for_rows and all([first.is_valid(), form.is_valid()]):
        outcome = _create(request, app_id, first, form)
        if outcome and outcome.saved:
            messages.success(request, "Saved.")
        if outcome and outcome.url:
            return redirect(outcome.url)
        card = outcome.card if outcome else None
    token = request.POST.get("token", "") if asks_for_rows else ""
    context = {
        "first": first,
        "form": form,
        "card": _with_existing(card, app_id, first) if card else None,
        "token": token or idempotency.issue_key(request, "borrowers.create"),
        "app": app,
    }
    return render(request, "borrowers/new.html", context)


def _create(
    request: PersonRequest, app_id: str, first: NewForm, form: BorrowerForm
) -> services.Outcome | None:
    """Send it once; None, with a message in the form, when its token has run out."""
    borrower_id = first.cleaned_data["borrowerId"]
    body = {"borrowerId": borrower_id, **form.result()}
    try:
        return services.write_once(
            request,
            "borrowers.create",
            token=request.POST.get("token", ""),
            app_id=app_id,
            subject=borrower_id,
            sent=body,
            again_at=reverse("borrower-new", args=[app_id]),
            do=lambda: gateway.app(app_id).borrowers.create(body),
            lands_on=lambda _: reverse("borrower", args=[app_id, borrower_id]),
        )
    except idempotency.StaleKey:
        first.add_error(None, _STALE)
        return None


def _with_existing(card: Card, app_id: str, first: NewForm) -> Card:
    """Where a borrower has the id already (409), the card leads there."""
    if card.status != HTTPStatus.CONFLICT:
        return card
    there = reverse("borrower", args=[app_id, first.cleaned_data["borrowerId"]])
    return replace(card, links=(("Open the existing borrower", there),))


@access("lending.borrowers.delete", "lending.borrowers.get", methods=("GET", "POST"))
def delete(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Delete a borrower whose id was typed in; whether it may go is for the service to say."""
    form = DeleteForm(request.POST or None, borrower_id=borrower_id)
    card = None
    if request.method == "POST" and form.is_valid():
        try:
            outcome = services.write_once(
                request,
                "borrowers.delete",
                token=request.POST.get("token", ""),
                app_id=app_id,
                subject=borrower_id,
                do=lambda: _delete_named(app_id, borrower_id),
                lands_on=lambda _: reverse("borrowers", args=[app_id]),
            )
        except idempotency.StaleKey:
            form.add_error(None, _STALE)
        else:
            if outcome.saved:
                messages.success(request, f"Borrower {borrower_id} is deleted.")
            if outcome.url:
                return redirect(outcome.url)
            card = outcome.card
    context = {
        "form": form,
        "card": card,
        "borrower": _read(request, app_id, borrower_id),
        "borrower_id": borrower_id,
        "token": idempotency.issue_key(request, "borrowers.delete"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "borrowers/delete.html", context)


def _delete_named(app_id: str, borrower_id: str) -> None:
    """Delete it, unless the service answers with what may be another. Raises LendingError."""
    borrowers = gateway.app(app_id).borrowers
    refuse_stranger(borrowers.get, borrower_id)
    borrowers.delete(borrower_id)


def _read(request: PersonRequest, app_id: str, borrower_id: str) -> Borrower | None:
    """The borrower; on a POST its absence must not hide what became of the write."""
    try:
        return check_named(gateway.app(app_id).borrowers.get(borrower_id), borrower_id)
    except LendingError as error:
        if request.method != "POST" or isinstance(error, InvalidId):
            raise
        return None
