"""Asking for an offer, and the page that waits for it and shows it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.values import Product, each
from lendingadmin.web import errors, onetime, polling, writes
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.requests import PersonRequest

from . import asking, catalogue
from .forms import OfferForm, PreviewForm
from .models import LONGEST_ID, NORMAL_TIME, OfferRequest, State

PURPOSE = "borrowers.getOffers"
_EARLIER = 10
_TOO_LONG = "This form was open for too long. Check it and send it again."


@access("lending.borrowers.getOffers", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The form that an offer is asked for with; the requestId is minted with it."""
    app, card = gateway.lending_app(app_id), None
    checked(borrower_id)
    types, types_card = _types(request)
    form = OfferForm(request.POST or None, types=types, app=app, initial=_started_with(request))
    if request.method == "POST" and not types_card and form.is_valid():
        url, card = _ask(request, form, app_id, borrower_id)
        if url:
            return redirect(url)
    context = {
        "form": form,
        "choices": list(zip(form["assessmentType"].subwidgets, _choosable(types), strict=False)),
        "token": onetime.mint(request, PURPOSE),
        "card": card or types_card,
        "earlier": _earlier(app_id, borrower_id),
        "borrower_id": borrower_id,
        "app": app,
        "read_at": timezone.now(),
    }
    return render(request, "offers/new.html", context)


def _types(request: PersonRequest) -> tuple[tuple[Any, ...], Card | None]:
    """The assessment types; on a POST a fault is a card beside the form, which stays filled in."""
    try:
        return each(catalogue.assessment_types().items), None
    except LendingError as error:
        if request.method != "POST":
            raise
        return (), errors.card(error)


def _choosable(types: tuple[Any, ...]) -> list[Any]:
    return [one for one in types if catalogue.full_name(one)]


def _started_with(request: PersonRequest) -> dict[str, str]:
    """The type that an address asks for, such as that of an offer that expired."""
    kind = request.GET.get("assessmentType", "")
    return {"assessmentType": kind} if kind else {}


def _ask(
    request: PersonRequest, form: OfferForm, app_id: str, borrower_id: str
) -> tuple[str, Card | None]:
    """Ask; the address to go to, or the card of what was refused.

    What is in doubt is not entered anew: its page finds out, by the same requestId.
    """
    place = asking.Place(app_id, borrower_id, form.request_id())
    page = reverse("offer", args=place)
    cleaned = form.cleaned_data
    try:
        outcome = writes.once(
            request,
            PURPOSE,
            token=cleaned["token"],
            do=lambda: asking.ask(
                place, request.user, cleaned["assessmentType"], cleaned["timestamp"]
            ),
            lands_on=lambda _: page,
            app_id=app_id,
            subject=borrower_id,
        )
    except onetime.Stale:
        form.add_error(None, _TOO_LONG)
        return "", None
    in_doubt = outcome.card is not None and outcome.card.saved == "unknown"
    return (page if in_doubt and place.find() else outcome.url), outcome.card


@access("lending.borrowers.getOffers")
def offer(request: PersonRequest, app_id: str, borrower_id: str, request_id: str) -> HttpResponse:
    """One request: how far it is, and what is offered."""
    return _show(request, asking.Place(app_id, checked(borrower_id), checked(request_id)))


@access("lending.borrowers.getOffers")
def status(request: PersonRequest, app_id: str, borrower_id: str, request_id: str) -> HttpResponse:
    """The part of that page that waits; it polls until the service has said its last word."""
    row = asking.Place(app_id, checked(borrower_id), checked(request_id)).find()
    if row is None:
        raise Http404("That request was not asked for here.")
    return render(request, "offers/_status.html", _standing(request, row))


@access("lending.borrowers.getOffers", methods=("POST",))
def ask_again(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """A person's own word that the service shall be asked for this request."""
    place = asking.Place(app_id, checked(borrower_id), checked(request_id))
    page = reverse("offer", args=place)
    try:
        outcome = writes.once(
            request,
            PURPOSE,
            token=request.POST.get("token", ""),
            do=lambda: asking.ask_again(place, request.user),
            lands_on=lambda _: page,
            app_id=app_id,
            subject=borrower_id,
        )
    except onetime.Stale:
        messages.warning(request, "The page was open for too long. Nothing was asked.")
        return redirect(page)
    return redirect(outcome.url) if outcome.url else _show(request, place, outcome.card)


@access("lending.borrowers.get")
def of_borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """A panel for the borrower's page: the requests that were made here."""
    gateway.lending_app(app_id)
    rows = _earlier(app_id, checked(borrower_id))
    return render(request, "offers/_earlier.html", {"earlier": rows, "borrower_id": borrower_id})


def checked(key: str) -> str:
    """An id that can be kept. Raises InvalidId, and Http404 for one that is too long."""
    if len(check_id(key)) > LONGEST_ID:
        raise Http404("No such id can be kept here.")
    return key


def _earlier(app_id: str, borrower_id: str) -> list[OfferRequest]:
    rows = OfferRequest.objects.filter(app_id=app_id, borrower_id=borrower_id)
    return list(rows.select_related("asked_by").order_by("-asked_at", "-pk")[:_EARLIER])


def _show(request: PersonRequest, place: asking.Place, card: Card | None = None) -> HttpResponse:
    """The page; of a request that was not asked for here it says so, and asks nothing."""
    gateway.lending_app(place.app_id)
    row = place.find()
    context = _standing(request, row, card) if row else {"card": card, "row": None}
    context |= place._asdict() | {
        "token": onetime.mint(request, PURPOSE),
        "earlier": _earlier(place.app_id, place.borrower_id),
    }
    return render(request, "offers/offer.html", context)


def _standing(
    request: PersonRequest, row: OfferRequest, card: Card | None = None
) -> dict[str, Any]:
    """Where a request stands now: read anew where a page may, else as it was last answered."""
    if card is None and row.may_be_read(timezone.now()):
        try:
            asking.look(row)
        except LendingError as error:
            card = errors.card(error)
    now = timezone.now()
    waits = row.may_be_read(now)
    operation = row.operation
    context = {
        "row": row,
        "card": card,
        "operation": operation,
        "poll": polling.poll(request, row.last_asked_at, NORMAL_TIME, waiting=waits),
        "waits": waits,
        "expired": row.is_expired(now),
        "refused": row.state == State.REFUSED,
        "app": gateway.lending_app(row.app_id),
    }
    return context | (_outcome(request, row) if row.state == State.DONE else {})


def _outcome(request: PersonRequest, row: OfferRequest) -> dict[str, Any]:
    """The offer, with the products' own terms where the catalogue can be read."""
    response, card = row.response, None
    known: tuple[Product, ...] = ()
    if response is None:
        return {}
    if request.user.has_perm("lending.products.list"):
        try:
            known = catalogue.products()
        except LendingError as error:
            card = errors.card(error)
    return {
        "response": response,
        "offered": catalogue.offered(response, known),
        "catalogue_card": card,
        "preview": PreviewForm(offer=response, app=gateway.lending_app(row.app_id)),
        "may_preview": request.user.has_perm("lending.borrowers.getOfferContracts"),
    }
