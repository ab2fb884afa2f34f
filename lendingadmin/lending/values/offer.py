"""The long-running operation behind an offer, and the offer itself (Spec: Offer operation)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Flag, Many, Number, One, Text, Timestamp

_SUMMARY_KEYS = ("creditLimit", "products", "interestRateWaiver")


class OfferInterest(Value):
    """The interest that a borrower is offered on a product."""

    risk_premium_rate: Number = None


class OfferTerms(Value):
    """The terms that a borrower is offered on a product."""

    interest: One[OfferInterest] = None


class OfferProduct(Value):
    """A product that the borrower qualifies for."""

    id_field: ClassVar[str | None] = "product_id"

    product_id: Text = None
    terms: One[OfferTerms] = None


class OffersResponse(Value):
    """What the borrower may have: a limit in money, and products (Spec: GetOffersResponse)."""

    credit_limit: Number = None
    products: Many[OfferProduct] = None
    interest_rate_waiver: Number = None
    valid_from: Timestamp = None

    @property
    def summary(self) -> dict[str, object]:
        """The offer summary that the contract preview accepts, as it came (Spec: Borrowers, 5)."""
        return {key: self.raw[key] for key in _SUMMARY_KEYS if key in self.raw}


class OfferResult(Value):
    """How the operation ended: `error` is absent on success."""

    error: Text = None
    response: One[OffersResponse] = None


class OfferMetadata(Value):
    """Whose operation it is and how far it got; status `queued` or `completed` were seen."""

    status: Text = None
    start_time: Timestamp = None
    end_time: Timestamp = None
    expiry_time: Timestamp = None
    project_id: Text = None
    app_id: Text = None
    account_id: Text = None
    request_id: Text = None
    assessment_id: Text = None


class OfferOperation(Value):
    """A request for offers, running or done; its result is absent while it runs."""

    id_field: ClassVar[str | None] = "operation_id"

    name: Text = None
    operation_id: Text = None
    done: Flag = None
    metadata: One[OfferMetadata] = None
    result: One[OfferResult] = None
