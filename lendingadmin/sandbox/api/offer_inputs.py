"""What the bodies of the offer operations may hold (Spec: Borrowers, 4 and 5)."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StrictStr

from lendingadmin.sandbox.api.inputs import Number, PositiveAmount, Sent, Timestamp

MOST_PRODUCTS = 50
Rate = Annotated[Number, Field(ge=0, le=100)]


class OffersAsked(Sent):
    """Spec: GetOffers body; at least one of them."""

    assessment_type: StrictStr | None = None
    timestamp: Timestamp | None = None
    request_id: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = None

    @property
    def can_start(self) -> bool:
        """Whether it says more than which request it is about."""
        return self.assessment_type is not None or self.timestamp is not None


class OfferedInterest(Sent):
    """The interest that an offer sets on a product."""

    risk_premium_rate: Rate | None = None


class OfferedTerms(Sent):
    """The terms that an offer sets on a product."""

    interest: OfferedInterest | None = None


class OfferedProduct(Sent):
    """A product of an offer, by productId or uid."""

    product_id: StrictStr
    terms: OfferedTerms | None = None

    @property
    def risk_premium_rate(self) -> Decimal | None:
        """The premium of the offer; None where it sets none."""
        interest = self.terms.interest if self.terms else None
        return interest.risk_premium_rate if interest else None


class OfferSummary(Sent):
    """The triple that an offer answers and a preview takes."""

    credit_limit: PositiveAmount
    products: Annotated[list[OfferedProduct], Field(max_length=MOST_PRODUCTS)]
    interest_rate_waiver: Rate | None = None


class PreviewAsked(Sent):
    """Spec: GetOfferContracts body."""

    offer_summary: OfferSummary
    amount: PositiveAmount | None = None
    start_date: Timestamp | None = None
