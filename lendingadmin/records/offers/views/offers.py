"""Pages of offers: the form to request an offer, and the page that waits for it and shows it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.values import AssessmentType, Product
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import Submitted
from lendingadmin.records.assessments.types import name_of
from lendingadmin.records.offers import asking, catalogue, lent
from lendingadmin.records.offers.forms import OfferForm, PreviewForm
from lendingadmin.records.offers.models import LONGEST_ID, NORMAL_TIME, OfferRequest, OfferState
from lendingadmin.web import errors, polling
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_places, list_technical
from lendingadmin.web.errors import Card
from lendingadmin.web.requests import PersonRequest

PURPOSE = OfferForm.operation
MAY_ASK = "lending.borrowers.getOffers"
_EARLIER = 10
# Places that templates/offers/_request.html shows, and for an offer also _outcome.html.
_SHOWN = list_places("metadata", "startTime endTime expiryTime assessmentId requestId")
_OF_OFFER = list_places(
    "result.response", "creditLimit interestRateWaiver validFrom"
) | list_places("result.response.products[]", "productId terms.interest.riskPremiumRate")
_NOT_NAMED = gettext_lazy(
    "The service accepted the request without a request id, so this dashboard can't show the "
    "request. Look for the assessment of this request in the list of assessments."
)


@access(MAY_ASK, methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the form to request an offer, with a new requestId; a POST sends the request.

    The POST redirects to the request. If the assessment types can't be read, a GET raises
    LendingError, and a POST shows a card next to the form.
    """
    app, card, types_card = gateway.lending_app(app_id), None, None
    checked(borrower_id)
    types: tuple[AssessmentType, ...]
    try:
        types, types_whole = catalogue.assessment_types()
    except LendingError as error:
        # On a POST a fault is a card next to the form, which stays filled in.
        if request.method != "POST":
            raise
        types, types_whole, types_card = (), False, errors.card(error)
    # The address may name a type, such as the type of an expired offer.
    kind = request.GET.get("assessmentType", "")
    initial = {"assessmentType": kind} if kind else {}
    form = OfferForm(request.POST or None, request=request, types=types, app=app, initial=initial)
    if request.method == "POST" and not types_card and form.is_valid():
        url, card = _ask(request, form, app_id, borrower_id)
        if url:
            return redirect(url)
    *kinds, no_type = form["assessmentType"].subwidgets
    context = {
        "form": form,
        "choices": list(zip(kinds, filter(name_of, types), strict=True)),
        "types_whole": types_whole,
        "no_type": no_type,
        "card": card or types_card,
        "app": app,
        "read_at": timezone.now(),
    } | _earlier(request, app_id, borrower_id, may_ask=False)
    return render(request, "offers/new.html", context)


def _ask(
    request: PersonRequest, form: OfferForm, app_id: str, borrower_id: str
) -> tuple[str, Card | None]:
    """Request an offer; return the address of the next page, or the card of a refusal.

    If the outcome of a request is unknown, another form does not send it again. The page of the
    request finds the outcome by the requestId.
    """
    place = asking.Place(app_id, borrower_id, form.cleaned_data["requestId"])

    def lands_on(row: OfferRequest | None) -> str:
        return row.get_absolute_url() if row else reverse("borrower-offers", args=place[:2])

    kind, until = form.cleaned_data["assessmentType"], form.cleaned_data["timestamp"]
    outcome = form.send(
        lambda: asking.ask(place, request.user, kind, until),
        lands_on,
        sent=form.sent(),
        app_id=app_id,
        subject=borrower_id,
    )
    if outcome.saved and outcome.url == lands_on(None):
        messages.warning(request, _NOT_NAMED, extra_tags="not-named")
    row = place.find() if place.request_id else None
    unconfirmed = outcome.card is not None and outcome.card.saved == "unknown"
    return (row.get_absolute_url() if unconfirmed and row else outcome.url), outcome.card


@access(MAY_ASK)
def offer(request: PersonRequest, app_id: str, borrower_id: str, request_id: str) -> HttpResponse:
    """Show one request: its progress and its offer."""
    return _show(request, asking.Place(app_id, checked(borrower_id), checked(request_id)))


@access(MAY_ASK)
def status(request: PersonRequest, app_id: str, borrower_id: str, request_id: str) -> HttpResponse:
    """Show the part of the request's page that waits for the service.

    The part polls until the service gives its final answer. When the state changes, the rest of the
    page is sent with this part. Raise Http404 for an unknown request.
    """
    place = asking.Place(app_id, checked(borrower_id), checked(request_id))
    row = place.find()
    if row is None:
        raise Http404("This dashboard did not make this request.")
    context = _standing(request, row)
    ended = context["poll"].delay is None
    context |= {"ended": ended, "around": ended or request.GET.get("state") != row.state}
    if context["around"]:
        context |= _around(request, place, context)
    return render(request, "offers/_fragment.html", context)


@access(MAY_ASK, methods=("POST",))
def ask_again(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """Ask the service for a request again, by its requestId; redirect to the request.

    If the page was open for too long, send nothing and show a warning. If the service refuses, or
    if the outcome is unknown, show a card.
    """
    place = asking.Place(app_id, checked(borrower_id), checked(request_id))
    page = reverse("offer", args=place)
    try:
        outcome = services.write_once(
            request,
            Write(
                operation=PURPOSE,
                app_id=app_id,
                subject=borrower_id,
                submitted=Submitted({"requestId": request_id}).encode(),
            ),
            do=lambda: asking.ask_again(place, request.user),
            lands_on=lambda _row: page,
        )
    except idempotency.StaleKey:
        messages.warning(request, _("Nothing was sent, because the page was open for too long."))
        return redirect(page)
    return redirect(page) if outcome.saved else _show(request, place, outcome.card)


@access("lending.borrowers.get")
def of_borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show a borrower's requests, as a panel of the borrower's page or as a separate page."""
    gateway.lending_app(app_id)
    context = _earlier(request, app_id, checked(borrower_id), may_ask=True)
    template = "offers/_earlier.html" if request.htmx else "offers/earlier.html"
    return render(request, template, context)


def checked(key: str) -> str:
    """Return the id if it can be saved. Raises InvalidId, or Http404 if it is too long."""
    if len(check_id(key)) > LONGEST_ID:
        raise Http404("This id cannot be saved.")
    return key


def _earlier(
    request: PersonRequest, app_id: str, borrower_id: str, *, may_ask: bool
) -> dict[str, Any]:
    """Return the borrower's requests and the rights of this person on them.

    `may_ask` is True if this page allows another request.
    """
    found = OfferRequest.objects.filter(app_id=app_id, borrower_id=borrower_id)
    rows = list(found.select_related("asked_by").order_by("-asked_at", "-pk")[:_EARLIER])
    holds, now = request.user.has_perm(MAY_ASK), timezone.now()
    return {
        "earlier": rows,
        "under_way": next((row for row in rows if row.may_be_read(now)), None),
        "borrower_id": borrower_id,
        "may_open": holds,
        "may_ask": holds and may_ask,
        "may_preview": request.user.has_perm("lending.borrowers.getOfferContracts"),
    }


def _show(request: PersonRequest, place: asking.Place, card: Card | None = None) -> HttpResponse:
    """Show the page of a request.

    If the request was not made in this dashboard, say so and do not ask the service.
    """
    gateway.lending_app(place.app_id)
    row = place.find()
    context = _standing(request, row, card) if row else {"card": card, "row": None}
    context |= _around(request, place, context)
    return render(request, "offers/offer.html", context)


def _around(
    request: PersonRequest, place: asking.Place, standing: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the context of the page outside the waiting part.

    The page allows a new request only if the offer was made and is still valid.
    """
    row = standing["row"]
    offers_itself = row is not None and row.state == OfferState.DONE and not standing["may_reask"]
    return {
        **place._asdict(),
        "token": idempotency.issue_key(request, PURPOSE),
        **_earlier(request, place.app_id, place.borrower_id, may_ask=offers_itself),
    }


def _standing(
    request: PersonRequest, row: OfferRequest, card: Card | None = None
) -> dict[str, Any]:
    """Return the context with the state of a request.

    If a page may ask for the request, its state is first read from the service and saved.
    """
    if card is None and row.may_be_read(timezone.now()):
        try:
            asking.check(row)
        except LendingError as error:
            # A failed read changes nothing. The request can still be found by its requestId.
            next_step = _(
                "Your request is not lost. The dashboard will look for the same request again."
            )
            card = replace(errors.card(error), saved="", next=next_step)
    now = timezone.now()
    waits = row.may_be_read(now)
    expired, unidentified = row.is_expired(now), not row.is_named
    refused = row.state == OfferState.REFUSED
    shown = _SHOWN | (_OF_OFFER if row.state == OfferState.DONE else {"result.error"})
    context = {
        "row": row,
        "card": card,
        "operation": row.operation,
        "unidentified": unidentified,
        "poll": polling.poll(request, row.last_asked_at, NORMAL_TIME, waiting=waits),
        "waits": waits,
        "expired": expired,
        "refused": refused,
        "technical": list_technical(row.operation, shown) if row.operation else [],
        "may_reask": not (waits or refused) and (expired or unidentified or not row.is_finished),
        "app": gateway.lending_app(row.app_id),
    }
    return context | (_outcome(request, row) if row.state == OfferState.DONE else {})


def _outcome(request: PersonRequest, row: OfferRequest) -> dict[str, Any]:
    """Return the offer, with the products' own terms if the catalogue can be read.

    Return an empty dict if the offer can't be read.
    """
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
        "lent": lent.read_lent(row),
        "offered": catalogue.offered(response, known),
        "catalogue_card": card,
        "preview": PreviewForm(offer=response, app=gateway.lending_app(row.app_id)),
    }
