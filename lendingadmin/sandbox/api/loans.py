"""Loans and their repayments (Spec: Loans)."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.errors import Refusal, not_found
from lendingadmin.sandbox.api.guard import Bearer, app_of
from lendingadmin.sandbox.api.lists import ListParameters
from lendingadmin.sandbox.api.loan_inputs import NewLoan, NewRepayment
from lendingadmin.sandbox.catalogue.products import Product, find_product
from lendingadmin.sandbox.models import Loan
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.opening import open_account
from lendingadmin.sandbox.store import borrowers, loan_filters, loans, repayments

router = Router(tags=["loans"])
MANY = "/v1/projects/{project_id}/apps/{app_id}/loans"
ONE = MANY + "/{account_id}"


@router.get(MANY, auth=Bearer("loans.list"))
def list_loans(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[ListParameters]
) -> HttpResponse:
    """Loans of the app by createdAt, filtered by any of the spec's fields."""
    now = _ready(project_id, app_id)
    listing = lists.listing(request, asked, loan_filters.FIELDS)
    rows = Loan.objects.select_related("record").filter(
        loan_filters.conditions(listing.clauses, now), app_id=app_id
    )
    found, token = lists.page(rows, listing)
    return lists.answer("loans", [loans.document(project_id, loan, now) for loan in found], token)


@router.post(MANY, auth=Bearer("loans.create"))
def create_loan(request: HttpRequest, project_id: str, app_id: str, sent: NewLoan) -> HttpResponse:
    """Make a loan account; a contract without instalments gets them from its product."""
    now = _ready(project_id, app_id)
    product, named = _product(project_id, sent)
    borrower = borrowers.find(app_id, sent.borrower_id)
    if borrower is None:
        raise Invalid("borrowerId", f"borrower {sent.borrower_id} does not exist")
    opening = open_account(product, sent.contract, sent.loan_amount, sent.start_date.date())
    document = sent.document() | {"productId": named}
    holder = {"category": borrower.category, "loanType": product.style.value}
    try:
        loan = loans.create(app_id, document, opening, holder, now)
    except loans.LoanExists:
        raise Refusal(409, f"Loan {sent.account_id} already exists") from None
    return lists.json(loans.document(project_id, loan, now))


@router.post(
    ONE + ":makeRepayment", auth=Bearer("loans.makeRepayment"), operation_id="make_repayment"
)
@router.post(ONE + "/makeRepayment", auth=Bearer("loans.makeRepayment"))
def make_repayment(
    request: HttpRequest, project_id: str, app_id: str, account_id: str, sent: NewRepayment
) -> HttpResponse:
    """Record a repayment on an open loan."""
    now = _ready(project_id, app_id)
    loan = repayments.make(app_id, account_id, sent.document(), now)
    if loan is None:
        raise not_found(f"Loan {account_id}")
    return lists.json(loans.document(project_id, loan, now))


@router.get(ONE, auth=Bearer("loans.get"))
def get_loan(request: HttpRequest, project_id: str, app_id: str, account_id: str) -> HttpResponse:
    """One loan, by accountId or uid."""
    now = _ready(project_id, app_id)
    loan = loans.find(app_id, account_id)
    if loan is None:
        raise not_found(f"Loan {account_id}")
    return lists.json(loans.document(project_id, loan, now))


@router.delete(ONE, auth=Bearer("loans.delete"))
def delete_loan(
    request: HttpRequest, project_id: str, app_id: str, account_id: str
) -> HttpResponse:
    """Remove a loan that has not started."""
    if not loans.delete(app_id, account_id, _ready(project_id, app_id)):
        raise not_found(f"Loan {account_id}")
    return HttpResponse(status=204)


def _ready(project_id: str, app_id: str) -> datetime:
    """The moment of this request, with every repayment posted that has taken effect by then."""
    app_of(project_id, app_id)
    now = clock.now()
    repayments.post_waiting(app_id, now)
    return now


def _product(project_id: str, sent: NewLoan) -> tuple[Product, str]:
    """The product, and how the loan or its contract names it."""
    named: Any = sent.product_id
    field = "productId"
    if named is None:
        named, field = sent.contract.get("productId"), "contract.productId"
    if named is None:
        raise Invalid("productId", "is needed, here or in the contract")
    product = find_product(project_id, named) if isinstance(named, str) else None
    if product is None:
        raise Invalid(field, f"product {named} does not exist")
    return product, named
