"""Offer operations: started once for each requestId, done by the clock (Spec: Offer operation)."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from lendingadmin.sandbox.catalogue.products import PRODUCTS
from lendingadmin.sandbox.models import Borrower, OfferOperation
from lendingadmin.sandbox.rules.account_ids import borrower_account
from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.offers import Holder, NoOffer, make_offer
from lendingadmin.sandbox.rules.scoring import Outcome
from lendingadmin.sandbox.store import assessments, borrowers
from lendingadmin.sandbox.store.sealing import seal, unseal

Document = dict[str, Any]
_USUAL = {
    "individual": "assessmentTypes/credit-90-days",
    "company": "assessmentTypes/loan-history-180-days",
}


class Asked(NamedTuple):
    """What a request for offers names; None where it leaves something out."""

    assessment_type: str | None
    timestamp: datetime | None
    request_id: str | None


def find(app_id: str, borrower_id: str, request_id: str | None) -> OfferOperation | None:
    """The operation of a borrower's requestId, or None."""
    rows = OfferOperation.objects.select_related("assessment", "borrower")
    return rows.filter(
        borrower__app_id=app_id, borrower__borrower_id=borrower_id, request_id=request_id
    ).first()


def start(app_id: str, borrower_id: str, asked: Asked, now: datetime) -> OfferOperation | None:
    """The operation of this requestId, started unless it was before; None without a borrower.

    What is left out is chosen: the usual assessment of the borrower's category, as of now, under
    a requestId of our own. Raises what making an assessment raises.
    """
    with transaction.atomic():
        # Looked for again under the write lock: of two calls at once, one starts it.
        if asked.request_id and (known := find(app_id, borrower_id, asked.request_id)):
            return known
        borrower = borrowers.find(app_id, borrower_id)
        if borrower is None:
            return None
        request_id = asked.request_id or str(uuid4())
        assessment = assessments.create(
            app_id,
            borrower_account(borrower_id),
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
            sealed=seal({"category": borrower.category, "owed": _owed(borrower, now)}),
            expires_at=now + timedelta(seconds=settings.SANDBOX_OFFER_SECONDS),
            created_at=now,
        )


def document(project_id: str, operation: OfferOperation, now: datetime) -> Document:
    """An operation as it is answered at `now`."""
    assessment = operation.assessment
    outcome = assessment.outcome_at(now)
    done = outcome is not None
    return {
        "name": f"operations/{operation.operation_id}",
        "operationId": str(operation.operation_id),
        "done": done,
        "metadata": {
            "status": "completed" if done else "queued",
            "startTime": operation.created_at,
            "endTime": assessment.ready_at if done else None,
            "expiryTime": operation.expires_at,
            "projectId": project_id,
            "appId": operation.borrower.app_id,
            "accountId": assessment.account_id,
            "requestId": operation.request_id,
            "assessmentId": assessment.assessment_id,
        },
        "result": None if outcome is None else _result(operation, outcome),
    }


def _result(operation: OfferOperation, outcome: Outcome) -> Document:
    kept = unseal(operation.sealed)
    found = make_offer(outcome, Holder(kept["category"], Decimal(kept["owed"])), PRODUCTS)
    if isinstance(found, NoOffer):
        return {"error": f"{found.reason}: {found.message}", "response": None}
    response = {
        "creditLimit": found.credit_limit,
        "products": [
            {"productId": product_id, "terms": {"interest": {"riskPremiumRate": premium}}}
            for product_id, premium in found.products
        ],
        "interestRateWaiver": found.waiver,
        "validFrom": operation.assessment.ready_at,
    }
    return {"error": None, "response": response}


def _owed(borrower: Borrower, now: datetime) -> Decimal:
    """What is unpaid of the loan accounts held here and of the loans told of."""
    (whole,) = borrowers.documents(settings.SANDBOX_PROJECT, borrower.app_id, [borrower], now)
    return sum((_unpaid(loan) for loan in whole["loans"]), ZERO)


def _unpaid(loan: Document) -> Decimal:
    if loan["completionDate"] is not None:
        return ZERO
    return max(ZERO, Decimal(loan["payableAmount"] or 0) - Decimal(loan["paidAmount"] or 0))
