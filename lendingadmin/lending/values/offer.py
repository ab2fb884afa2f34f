"""The long-running operation behind an offer, and the offer itself (Spec: Offer operation)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Flag, Many, Number, One, Text, Timestamp

_SUMMARY_KEYS = ("creditLimit", "products", "interestRateWaiver")


class OfferInterest(Value):
    """The interest that a borrower is offered on a product."""

    risk_premium_rate: Number


class OfferTerms(Value):
    """The terms that a borrower is offered on a product."""

    interest: One[OfferInterest]


class OfferProduct(Value):
    """A product that the borrower qualifies for."""

    id_field: ClassVar[str | None] = "product_id"

    product_id: Text
    terms: One[OfferTerms]


class OffersResponse(Value):
    """What the borrower may have: a limit in money, and products (Spec: GetOffersResponse)."""

    credit_limit: Number
    products: Many[OfferProduct]
    interest_rate_waiver: Number
    valid_from: Timestamp

    @property
    def summary(self) -> dict[str, object]:
        """The offer summary that the contract preview accepts, as it came (Spec: Borrowers, 5)."""
        return {key: self.raw[key] for key in _SUMMARY_KEYS if key in self.raw}


class OfferResult(Value):
    """How the operation ended: `error` is absent on success."""

    error: Text
    response: One[OffersResponse]


class OfferMetadata(Value):
    """Whose operation it is and how far it got; status `queued` or `completed` were seen."""

    status: Text
    start_time: Timestamp
    end_time: Timestamp
    expiry_time: Timestamp
    project_id: Text
    app_id: Text
    account_id: Text
    request_id: Text
    assessment_id: Text


class OfferOperation(Value):
    """A request for offers, running or done; its result is absent while it runs."""

    id_field: ClassVar[str | None] = "operation_id"

    name: Text
    operation_id: Text
    done: Flag
    metadata: One[OfferMetadata]
    result: One[OfferResult]
