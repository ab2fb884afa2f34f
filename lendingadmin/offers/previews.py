"""Contracts that an offer would lead to, side by side (Spec: Borrowers, 5)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.errors import LendingError, UnidentifiedRecord
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import (
    Borrower,
    LendingContract,
    Malformed,
    OffersResponse,
    Product,
    each,
)
from lendingadmin.ui import errors
from lendingadmin.ui.access import access
from lendingadmin.ui.fields import for_all
from lendingadmin.ui.requests import PersonRequest

from . import asking, catalogue, comparison
from .forms import PreviewForm
from .models import OfferRequest
from .views.offers import MAY_ASK, checked


class Preview(NamedTuple):
    """What the service answered, and what else could be read beside it."""

    contracts: tuple[LendingContract | Malformed, ...]
    products: tuple[Product, ...]
    borrower: Borrower | None

    def columns(self) -> tuple[comparison.Column, ...]:
        """The contracts side by side, under their products' names."""
        return comparison.columns(self.contracts, self.called)

    def called(self, product_id: object) -> str:
        """What a product is called."""
        return catalogue.called(product_id, self.products)


@access("lending.borrowers.getOfferContracts")
def contracts(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """All products of an offer for one amount and day; both stand in the address.

    Raises Unnamed for an offer that may be somebody else's.
    """
    app = gateway.lending_app(app_id)
    row = asking.Place(app_id, checked(borrower_id), checked(request_id)).find()
    context: dict[str, object] = {
        "app": app,
        "row": row,
        "borrower_id": borrower_id,
        "request_id": request_id,
        "may_open": request.user.has_perm(MAY_ASK),
        "address": request.build_absolute_uri(),
    }
    if row and not row.is_named:
        raise UnidentifiedRecord
    offer = row.response if row else None
    if row is None or offer is None:
        return render(request, "offers/contracts.html", context)
    form = form_of(request, offer, app_id)
    code = 200
    if form.is_valid() and (elsewhere := _for_all(request)):
        return redirect(elsewhere)
    if form.is_valid():
        try:
            preview = read(request, row, form)
        except LendingError as error:
            context["card"], code = errors.card(error), errors.status(error)
        else:
            columns = preview.columns()
            form.name_products(preview.called)
            context |= {
                "previewed": True,
                "columns": columns,
                "lines": comparison.lines(columns),
                "unreadable": len(preview.contracts) - len(columns),
            }
    context |= {
        "form": form,
        "offer": offer,
        "expired": row.is_expired(timezone.now()),
        "read_at": timezone.now(),
        "query": request.GET.urlencode(),
        "may_create": request.user.has_perm("lending.loans.create"),
    }
    return render(request, "offers/contracts.html", context, status=code)


def form_of(request: PersonRequest, offer: OffersResponse, app_id: str) -> PreviewForm:
    """The form as the address fills it in; an address that says nothing asks for nothing."""
    asked = request.GET if "amount" in request.GET or "startDate" in request.GET else None
    return PreviewForm(asked, offer=offer, app=gateway.lending_app(app_id))


def _for_all(request: PersonRequest) -> str:
    """The address with its amount so that everybody may open it; empty where it is so already."""
    query, amount = request.GET.copy(), request.GET.get("amount", "").strip()
    if not amount:
        return ""
    query["amount"] = for_all(amount)
    return "" if query["amount"] == amount else f"{request.path}?{query.urlencode()}"


def read(
    request: PersonRequest, row: OfferRequest, form: PreviewForm, *, borrower: bool = False
) -> Preview:
    """Preview for what a valid form asks; catalogue and borrower come along where they can be had.

    Raises the LendingError of the preview itself.
    """
    app = gateway.app(row.app_id)
    calls: dict[str, Callable[[], object]] = {
        "contracts": partial(
            app.borrowers.get_offer_contracts,
            row.borrower_id,
            offer_summary=form.summary(),
            amount=form.cleaned_data["amount"],
            start_date=form.starts_at(),
        )
    }
    if request.user.has_perm("lending.products.list"):
        calls["products"] = catalogue.products
    if borrower and request.user.has_perm("lending.borrowers.get"):
        calls["borrower"] = partial(app.borrowers.get, row.borrower_id)
    answers: Mapping[str, object] = dict(
        zip(calls, read_in_parallel(gateway.client(), *calls.values()), strict=True)
    )
    found, products, person = (answers.get(name) for name in ("contracts", "products", "borrower"))
    if isinstance(found, LendingError):
        raise found
    return Preview(
        found if isinstance(found, tuple) else (),
        each(products) if isinstance(products, tuple) else (),
        person if isinstance(person, Borrower) and is_named(person, row.borrower_id) else None,
    )


def one_of(preview: Preview, product_id: str, place: int) -> LendingContract:
    """The contract of a product; where there are several, the one at this place of the answer.

    Raises Http404 where there is none.
    """
    found = [column for column in preview.columns() if column.contract.product_id == product_id]
    at_place = [column for column in found if column.place == place]
    if not found:
        raise Http404("The preview has no contract of that product.")
    return (at_place or found)[0].contract
