"""Offer operations. A requestId starts one operation, which is complete after some time."""

from datetime import datetime, timedelta
from decimal import Decimal
from uuid import uuid4

from django.conf import settings

from lendingadmin.sandbox.catalogue.products import PRODUCTS
from lendingadmin.sandbox.models import Borrower, OfferOperation
from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.ids import PROJECT, write_account_id
from lendingadmin.sandbox.rules.offers import Holder, NoOffer, make_offer
from lendingadmin.sandbox.rules.scoring import Outcome
from lendingadmin.sandbox.schemas import answers
from lendingadmin.sandbox.schemas.inputs import OffersAsked
from lendingadmin.sandbox.store import assessments, borrowers
from lendingadmin.sandbox.store.encryption import decrypt, encrypt
from lendingadmin.sandbox.store.writing import write

_USUAL = {
    "individual": "assessmentTypes/credit-90-days",
    "company": "assessmentTypes/loan-history-180-days",
}


def find_operation(app_id: str, borrower_id: str, request_id: str | None) -> OfferOperation | None:
    """Return the operation of a borrower's requestId; None if there is none."""
    rows = OfferOperation.objects.select_related("assessment", "borrower")
    return rows.filter(
        borrower__app_id=app_id, borrower__borrower_id=borrower_id, request_id=request_id
    ).first()


def start_operation(
    app_id: str, borrower_id: str, asked: OffersAsked, now: datetime
) -> OfferOperation:
    """Return the operation of this requestId. Start the operation if there is none.

    Missing values are chosen: the usual assessment type of the borrower's category, the present
    time, a new requestId. Raise NotFound if the borrower does not exist, and the errors of
    `assessments.create`.
    """
    with write():
        # The search is repeated while no other call can write, so that only one of two calls starts
        # the operation.
        if asked.request_id and (known := find_operation(app_id, borrower_id, asked.request_id)):
            return known
        borrower = borrowers.get_borrower(app_id, borrower_id)
        request_id = asked.request_id or str(uuid4())
        assessment = assessments.create(
            app_id,
            write_account_id(borrower_id),
            asked.assessment_type or _USUAL[borrower.category],
            asked.timestamp or now,
            now,
            request_id,
        )
        return OfferOperation.objects.create(
            borrower=borrower,
            request_id=request_id,
            operation_id=uuid4(),
            assessment=assessment,
            encrypted=encrypt({"category": borrower.category, "owed": _sum_owed(borrower, now)}),
            expires_at=now + timedelta(seconds=settings.SANDBOX_OFFER_SECONDS),
            created_at=now,
        )


def answer_offer(operation: OfferOperation, now: datetime) -> answers.OfferOperation:
    """Return the answer for an operation, with its state at `now`."""
    assessment = operation.assessment
    outcome = assessment.outcome_at(now)
    done = outcome is not None
    return answers.OfferOperation(
        name=f"operations/{operation.operation_id}",
        operation_id=str(operation.operation_id),
        done=done,
        metadata=answers.OfferMetadata.read(
            assessment,
            status="completed" if done else "queued",
            start_time=operation.created_at,
            end_time=assessment.ready_at if done else None,
            expiry_time=operation.expires_at,
            project_id=PROJECT,
            request_id=operation.request_id,
        ),
        result=None if outcome is None else _build_result(operation, outcome),
    )


def _build_result(operation: OfferOperation, outcome: Outcome) -> answers.OfferResult:
    kept = decrypt(operation.encrypted)
    found = make_offer(outcome, Holder(kept["category"], Decimal(kept["owed"])), PRODUCTS)
    if isinstance(found, NoOffer):
        return answers.OfferResult(error=f"{found.reason}: {found.message}", response=None)
    products = [
        {"product_id": product_id, "terms": {"interest": {"risk_premium_rate": premium}}}
        for product_id, premium in found.products
    ]
    response = answers.GetOffersResponse.read(
        found,
        products=products,
        interest_rate_waiver=found.waiver,
        valid_from=operation.assessment.ready_at,
    )
    return answers.OfferResult(error=None, response=response)


def _sum_owed(borrower: Borrower, now: datetime) -> Decimal:
    """Return the unpaid sum of the borrower's loan accounts, and of loans elsewhere."""
    (whole,) = borrowers.answer_borrowers(borrower.app_id, [borrower], now)
    return sum(
        (
            max(ZERO, (loan.payable_amount or ZERO) - (loan.paid_amount or ZERO))
            for loan in whole.loans
            if loan.completion_date is None
        ),
        ZERO,
    )
