"""Preview of the contracts for an offer, side by side (Spec: Borrowers, 5)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from django.http import Http404

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
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
from lendingadmin.web.masking import list_rights, mask_item
from lendingadmin.web.requests import PersonRequest

from . import catalogue, comparison
from .forms import PreviewForm
from .models import OfferRequest


class Preview(NamedTuple):
    """The service's answer, with the catalogue and the borrower if they could be read."""

    contracts: tuple[LendingContract | Malformed, ...]
    products: tuple[Product, ...]
    borrower: Borrower | None

    def columns(self) -> tuple[comparison.Column, ...]:
        """The contracts side by side, under their products' names."""
        return comparison.columns(self.contracts, self.called)

    def called(self, product_id: object) -> str:
        """Return a product's name, or else its id."""
        return catalogue.called(product_id, self.products)


def form_of(request: PersonRequest, offer: OffersResponse, app_id: str) -> PreviewForm:
    """Return the form with the values in the address; unbound if there are none."""
    asked = request.GET if "amount" in request.GET or "startDate" in request.GET else None
    return PreviewForm(asked, offer=offer, app=gateway.lending_app(app_id))


def read(
    request: PersonRequest, row: OfferRequest, form: PreviewForm, *, borrower: bool = False
) -> Preview:
    """Read the preview for a valid form, and the catalogue and the borrower if they can be read.

    Raise LendingError if the preview fails.
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
        mask_item(person, list_rights(request.user))
        if isinstance(person, Borrower) and is_named(person, row.borrower_id)
        else None,
    )


def one_of(preview: Preview, product_id: str, place: int) -> LendingContract:
    """Return the contract of a product.

    If the product has several contracts, return the contract at this place in the service's answer,
    or else the first one. Raise Http404 if the product has no contract.
    """
    found = [column for column in preview.columns() if column.contract.product_id == product_id]
    at_place = [column for column in found if column.place == place]
    if not found:
        raise Http404("The preview has no contract of that product.")
    return (at_place or found)[0].contract
