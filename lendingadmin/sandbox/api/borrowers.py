"""Borrowers (Spec: Borrowers)."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, check_app
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.models import Borrower
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.schemas.answers import AnsweredBorrower, BorrowerPage, Error
from lendingadmin.sandbox.schemas.inputs import BorrowerPatch, NewBorrower
from lendingadmin.sandbox.store import borrowers, repayments

router = Router(tags=["borrowers"], by_alias=True)
MANY = "/v1/projects/{project_id}/apps/{app_id}/borrowers"
ONE = MANY + "/{borrower_id}"
_NEVER_NULL = {"category", "startDate"}


@router.get(MANY, auth=Bearer("borrowers.list"), response=BorrowerPage)
def list_borrowers(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[PageParameters]
) -> BorrowerPage:
    """Borrowers of the app, oldest first."""
    rows = Borrower.objects.filter(app_id=check_app(project_id, app_id))
    found, token = lists.read_page(rows, lists.read_listing(request, asked, {}))
    now = clock.now()
    repayments.post_waiting(app_id, now)
    answered = borrowers.answer_borrowers(app_id, found, now)
    return BorrowerPage(borrowers=answered, next_page_token=token)


@router.post(MANY, auth=Bearer("borrowers.create"), response={200: AnsweredBorrower, 409: Error})
def create_borrower(
    request: HttpRequest, project_id: str, app_id: str, sent: NewBorrower
) -> AnsweredBorrower:
    """Register a borrower; 409 if the id exists."""
    borrower = borrowers.create(check_app(project_id, app_id), sent.document(), clock.now())
    return _answer(borrower)


@router.get(ONE, auth=Bearer("borrowers.get"), response=AnsweredBorrower)
def get_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str
) -> AnsweredBorrower:
    """Return one borrower."""
    return _answer(borrowers.get_borrower(check_app(project_id, app_id), borrower_id))


@router.patch(ONE, auth=Bearer("borrowers.patch"), response=AnsweredBorrower)
def patch_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str, sent: BorrowerPatch
) -> AnsweredBorrower:
    """Replace the fields that were sent, at least one. Each list is replaced completely."""
    check_app(project_id, app_id)
    changes = sent.document(only_sent=True)
    if not changes:
        raise Invalid("body", "must hold at least one field that can be changed")
    for field in _NEVER_NULL & {name for name, value in changes.items() if value is None}:
        raise Invalid(field, "must not be null")
    whole = sent.document()
    changes = {field: whole[field] for field in changes}
    return _answer(borrowers.patch(app_id, borrower_id, changes, clock.now()))


@router.delete(ONE, auth=Bearer("borrowers.delete"), response={204: None, 422: Error})
def delete_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str
) -> HttpResponse:
    """Remove a borrower without loan accounts."""
    borrowers.delete(check_app(project_id, app_id), borrower_id)
    return HttpResponse(status=204)


def _answer(borrower: Borrower) -> AnsweredBorrower:
    now = clock.now()
    repayments.post_waiting(borrower.app_id, now)
    return borrowers.answer_borrowers(borrower.app_id, [borrower], now)[0]
