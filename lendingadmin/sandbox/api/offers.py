"""Offers to a borrower, and previews of their contracts (Spec: Borrowers, 4 and 5)."""

from decimal import Decimal

from django.http import HttpRequest
from ninja import Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api.errors import Refusal
from lendingadmin.sandbox.api.guard import check_app, post_method
from lendingadmin.sandbox.catalogue.products import find_product
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.invalid import Invalid, NotFound
from lendingadmin.sandbox.rules.previews import Offered, build_previews
from lendingadmin.sandbox.schemas.answers import Contracts, Error, OfferOperation
from lendingadmin.sandbox.schemas.inputs import OffersAsked, OfferSummary, PreviewAsked
from lendingadmin.sandbox.store import borrowers, offers, repayments

router = Router(tags=["offers"], by_alias=True)
ONE = "/v1/projects/{project_id}/apps/{app_id}/borrowers/{borrower_id}"


@post_method(router, ONE, "borrowers.getOffers", {200: OfferOperation, (409, 422): Error})
def get_offers(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str, sent: OffersAsked
) -> OfferOperation:
    """Start an offer; with a requestId that was sent before, return the progress of its offer."""
    if not sent.can_start and sent.request_id is None:
        raise Invalid("body", "must hold at least one of assessmentType, timestamp, requestId")
    borrowers.get_borrower(check_app(project_id, app_id), borrower_id)
    now = clock.now()
    operation = offers.find_operation(app_id, borrower_id, sent.request_id)
    if operation is None:
        if not sent.can_start:
            raise NotFound(f"Offer request {sent.request_id}")
        repayments.post_waiting(app_id, now)
        operation = offers.start_operation(app_id, borrower_id, sent, now)
    if operation.expires_at <= now:
        expired = write_timestamp(operation.expires_at)
        raise Refusal(404, f"Offer request {operation.request_id} expired at {expired}", "expired")
    return offers.answer_offer(operation, now)


@post_method(router, ONE, "borrowers.getOfferContracts", {200: Contracts, 422: Error})
def get_offer_contracts(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str, sent: PreviewAsked
) -> Contracts:
    """Preview a contract for each product of the offer; nothing is stored."""
    borrowers.get_borrower(check_app(project_id, app_id), borrower_id)
    summary = sent.offer_summary
    contracts = build_previews(
        _read_offered(summary),
        summary.credit_limit,
        summary.interest_rate_waiver or Decimal(0),
        sent.amount or summary.credit_limit,
        (sent.start_date or clock.now()).date(),
    )
    return Contracts(contracts)


def _read_offered(summary: OfferSummary) -> list[Offered]:
    offered = []
    for place, one in enumerate(summary.products):
        product = find_product(one.product_id)
        if product is None:
            raise Invalid(
                f"offerSummary.products[{place}].productId",
                f"product {one.product_id} does not exist",
            )
        offered.append(Offered(product, one.risk_premium_rate))
    return offered
