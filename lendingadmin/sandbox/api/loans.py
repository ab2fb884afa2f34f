"""Loans and their repayments (Spec: Loans)."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, check_app, post_method
from lendingadmin.sandbox.api.lists import ListParameters
from lendingadmin.sandbox.catalogue.products import Product, find_product
from lendingadmin.sandbox.models import Loan
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.opening import open_account
from lendingadmin.sandbox.schemas.answers import AnsweredLoan, Error, LoanPage
from lendingadmin.sandbox.schemas.contracts import NewLoan, NewRepayment
from lendingadmin.sandbox.store import borrowers, loans, repayments

router = Router(tags=["loans"], by_alias=True)
MANY = "/v1/projects/{project_id}/apps/{app_id}/loans"
ONE = MANY + "/{account_id}"


@router.get(MANY, auth=Bearer("loans.list"), response=LoanPage)
def list_loans(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[ListParameters]
) -> LoanPage:
    """Loans of the app by createdAt, filtered by any of the spec's fields."""
    now = _begin(project_id, app_id)
    listing = lists.read_listing(request, asked, loans.FILTER_FIELDS)
    rows = Loan.objects.select_related("record").filter(
        loans.build_conditions(listing.clauses, now), app_id=app_id
    )
    found, token = lists.read_page(rows, listing)
    answered = [loans.answer_loan(loan, now) for loan in found]
    return LoanPage(loans=answered, next_page_token=token)


@router.post(MANY, auth=Bearer("loans.create"), response={200: AnsweredLoan, 409: Error})
def create_loan(request: HttpRequest, project_id: str, app_id: str, sent: NewLoan) -> AnsweredLoan:
    """Create a loan account; a contract without instalments gets them from its product."""
    now = _begin(project_id, app_id)
    product, named = _find_product(sent)
    borrower = borrowers.find_borrower(app_id, sent.borrower_id)
    if borrower is None:
        raise Invalid("borrowerId", f"borrower {sent.borrower_id} does not exist")
    opening = open_account(product, sent.contract, sent.loan_amount, sent.start_date.date())
    document = sent.document() | {"productId": named}
    holder = {"category": borrower.category, "loanType": product.style.value}
    return loans.answer_loan(loans.create(app_id, document, opening, holder, now), now)


@post_method(router, ONE, "loans.makeRepayment", {200: AnsweredLoan, 422: Error})
def make_repayment(
    request: HttpRequest, project_id: str, app_id: str, account_id: str, sent: NewRepayment
) -> AnsweredLoan:
    """Record a repayment on an open loan."""
    now = _begin(project_id, app_id)
    loan = repayments.record_repayment(app_id, account_id, sent.document(), now)
    return loans.answer_loan(loan, now)


@router.get(ONE, auth=Bearer("loans.get"), response=AnsweredLoan)
def get_loan(request: HttpRequest, project_id: str, app_id: str, account_id: str) -> AnsweredLoan:
    """Return one loan, by accountId or uid."""
    now = _begin(project_id, app_id)
    return loans.answer_loan(loans.get_loan(app_id, account_id), now)


@router.delete(ONE, auth=Bearer("loans.delete"), response={204: None, 422: Error})
def delete_loan(
    request: HttpRequest, project_id: str, app_id: str, account_id: str
) -> HttpResponse:
    """Remove a loan that has not started."""
    loans.delete(app_id, account_id, _begin(project_id, app_id))
    return HttpResponse(status=204)


def _begin(project_id: str, app_id: str) -> datetime:
    """Post the repayments that are effective now; return the time of this request."""
    check_app(project_id, app_id)
    now = clock.now()
    repayments.post_waiting(app_id, now)
    return now


def _find_product(sent: NewLoan) -> tuple[Product, str]:
    """Return the product, and its productId or uid as the loan or the contract gives it.

    Raise Invalid if there is no such product.
    """
    named: Any = sent.product_id
    field = "productId"
    if named is None:
        named, field = sent.contract.get("productId"), "contract.productId"
    if named is None:
        raise Invalid("productId", "is needed, here or in the contract")
    product = find_product(named) if isinstance(named, str) else None
    if product is None:
        raise Invalid(field, f"product {named} does not exist")
    return product, named
