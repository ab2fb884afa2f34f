"""Borrowers (Spec: Borrowers)."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.errors import Refusal, not_found
from lendingadmin.sandbox.api.guard import Bearer, app_of
from lendingadmin.sandbox.api.inputs import BorrowerPatch, NewBorrower
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.models import Borrower
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.store import borrowers, repayments

router = Router(tags=["borrowers"])
MANY = "/v1/projects/{project_id}/apps/{app_id}/borrowers"
ONE = MANY + "/{borrower_id}"
_NEVER_NULL = {"category", "startDate"}


@router.get(MANY, auth=Bearer("borrowers.list"))
def list_borrowers(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[PageParameters]
) -> HttpResponse:
    """Borrowers of the app, oldest first."""
    rows = Borrower.objects.filter(app_id=app_of(project_id, app_id))
    found, token = lists.page(rows, lists.listing(request, asked, {}))
    now = clock.now()
    repayments.post_waiting(app_id, now)
    return lists.answer("borrowers", borrowers.documents(project_id, app_id, found, now), token)


@router.post(MANY, auth=Bearer("borrowers.create"))
def create_borrower(
    request: HttpRequest, project_id: str, app_id: str, sent: NewBorrower
) -> HttpResponse:
    """Register a borrower; 409 when it exists."""
    try:
        borrower = borrowers.create(app_of(project_id, app_id), sent.document(), clock.now())
    except borrowers.BorrowerExists:
        raise Refusal(409, f"Borrower {sent.borrower_id} already exists") from None
    return _answer(project_id, borrower)


@router.get(ONE, auth=Bearer("borrowers.get"))
def get_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str
) -> HttpResponse:
    """One borrower."""
    return _answer(project_id, borrowers.find(app_of(project_id, app_id), borrower_id), borrower_id)


@router.patch(ONE, auth=Bearer("borrowers.patch"))
def patch_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str, sent: BorrowerPatch
) -> HttpResponse:
    """Replace the fields that were sent, at least one, lists as a whole."""
    app_of(project_id, app_id)
    changes = sent.document(only_sent=True)
    if not changes:
        raise Invalid("body", "must hold at least one field that can be changed")
    for field in _NEVER_NULL & {name for name, value in changes.items() if value is None}:
        raise Invalid(field, "must not be null")
    whole = sent.document()
    changes = {field: whole[field] for field in changes}
    found = borrowers.patch(app_id, borrower_id, changes, clock.now())
    return _answer(project_id, found, borrower_id)


@router.delete(ONE, auth=Bearer("borrowers.delete"))
def delete_borrower(
    request: HttpRequest, project_id: str, app_id: str, borrower_id: str
) -> HttpResponse:
    """Remove a borrower that holds no loan account."""
    if not borrowers.delete(app_of(project_id, app_id), borrower_id):
        raise not_found(f"Borrower {borrower_id}")
    return HttpResponse(status=204)


def _answer(project_id: str, borrower: Borrower | None, borrower_id: str = "") -> HttpResponse:
    if borrower is None:
        raise not_found(f"Borrower {borrower_id}")
    now = clock.now()
    repayments.post_waiting(borrower.app_id, now)
    return lists.json(borrowers.documents(project_id, borrower.app_id, [borrower], now)[0])
