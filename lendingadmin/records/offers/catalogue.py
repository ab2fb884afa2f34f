"""The service's lists of products and assessment types for offers, without malformed items."""

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.core import gateway
from lendingadmin.lending.pages import MAXIMUM_PAGE_SIZE, gather
from lendingadmin.lending.values import (
    AssessmentType,
    LendingTerms,
    OfferInterest,
    OfferProduct,
    OffersResponse,
    OfferTerms,
    Product,
    ProductInterest,
    each,
    number,
    text,
)

_MOST = 5000


def products() -> tuple[Product, ...]:
    """Return the readable products of the project. May raise LendingError."""
    pages = gateway.client().products.pages(page_size=MAXIMUM_PAGE_SIZE)
    return gather(pages, _MOST)[0]


def assessment_types() -> tuple[tuple[AssessmentType, ...], bool]:
    """Return the readable assessment types; also True if these are all. May raise LendingError."""
    pages = gateway.client().assessment_types.pages(page_size=MAXIMUM_PAGE_SIZE)
    return gather(pages, _MOST)


class Offered(NamedTuple):
    """Product of an offer, with the terms from the catalogue; rates are yearly fractions.

    `expected` is base rate + premium − waiver, our estimate; None if the base rate or the premium
    is missing.
    """

    product_id: str
    product: Product | None
    premium: object
    own: ProductInterest | None
    expected: Decimal | None

    @property
    def saving(self) -> Decimal | None:
        """The catalogue's risk premium minus the offered premium; None if one is unknown.

        The value is negative if the offered premium is higher.
        """
        own = number(self.own.risk_premium_rate) if self.own else None
        premium = number(self.premium)
        return None if own is None or premium is None else own - premium


def offered(response: OffersResponse, catalogue: Iterable[Product]) -> tuple[Offered, ...]:
    """Return each product of the offer with its data from the catalogue."""
    known = tuple(catalogue)
    waiver = number(response.interest_rate_waiver) or Decimal(0)
    return tuple(_offered(one, known, waiver) for one in each(response.products))


def named(product_id: object, catalogue: Iterable[Product]) -> Product | None:
    """Return the product with this productId or uid (Spec: Loan, productId); None if not found."""
    wanted = text(product_id)
    return next((one for one in catalogue if wanted and wanted in (one.product_id, one.uid)), None)


def called(product_id: object, catalogue: Iterable[Product]) -> str:
    """Return a product's display name, or else its id as received."""
    product = named(product_id, catalogue)
    return (text(product.display_name) if product else None) or str(product_id or "product")


def _offered(one: OfferProduct, known: tuple[Product, ...], waiver: Decimal) -> Offered:
    interest = one.terms.interest if isinstance(one.terms, OfferTerms) else None
    premium = interest.risk_premium_rate if isinstance(interest, OfferInterest) else None
    product = named(one.product_id, known)
    terms = product.terms if product and isinstance(product.terms, LendingTerms) else None
    own = terms.interest if terms and isinstance(terms.interest, ProductInterest) else None
    parts = (number(own.base_rate) if own else None, number(premium))
    expected = None if None in parts else sum((x for x in parts if x), Decimal(0)) - waiver
    return Offered(str(one.product_id or ""), product, premium, own, expected)
