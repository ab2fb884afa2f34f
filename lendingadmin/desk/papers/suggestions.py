"""Papers about records of a borrower, each with one button on the borrower's page of papers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import MAKE_PAPERS
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.money.writes import idempotency
from lendingadmin.records.assessments import known
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.records.offers.views.offers import MAY_ASK
from lendingadmin.web.requests import PersonRequest

from . import refusal
from .figures import Unfit
from .models import Paper, PaperKind

# Records of a kind, the newest first.
_MOST = 3
# Seconds to wait for the newest assessment.
_LONGEST_WAIT = 1.0


@dataclass(frozen=True)
class Suggestion:
    """A paper about a record. A form sends `token` to `url`; without a token, `url` has a form."""

    kind: PaperKind
    record: str
    url: str
    token: str = ""


def list_settled(snapshot: Snapshot) -> QuerySet[SnapshotLoan]:
    """Return the settled loans of an update. Nothing is owed on them."""
    # A rank is null for an amount of zero.
    return SnapshotLoan.objects.filter(
        snapshot=snapshot,
        is_open=False,
        settlement_day__isnull=False,
        outstanding__isnull=False,
        outstanding_rank=None,
    )


def lacks_letter(app_id: str) -> Q:
    """Return the condition for loans of an app without a discharge letter."""
    letters = Paper.objects.filter(
        app_id=app_id, kind=PaperKind.DISCHARGE, account_id=OuterRef("account_id")
    )
    return Q(~Exists(letters))


def list_suggestions(request: PersonRequest, app_id: str, borrower_id: str) -> list[Suggestion]:
    """Return the papers that this person may make about records of a borrower.

    These are discharge letters of settled loans without one, key facts of offers, and refusals.
    The newest assessment is read from the service. If it can't be read within a second, there is no
    paper about it.
    """
    person = request.user
    found = list(_list_letters(app_id, borrower_id))
    asked = OfferRequest.objects.filter(app_id=app_id, borrower_id=borrower_id)
    newest = list(asked.order_by("-asked_at")[:_MOST])
    if person.has_perm(MAY_ASK):
        found += _list_refused_offers(newest)
    if person.has_perm("lending.borrowers.getOfferContracts"):
        found += _list_open_offers(newest)
    if person.has_perm("lending.assessments.get"):
        found += _list_assessments(app_id, borrower_id)
    return [
        one
        if one.kind == PaperKind.KEY_FACTS
        else replace(one, token=idempotency.issue_key(request, write_purpose(one.url)))
        for one in found
    ]


def write_purpose(url: str) -> str:
    """Return the purpose of the idempotency key of a form that makes a paper at this address."""
    return f"{MAKE_PAPERS} {url}"


def _list_letters(app_id: str, borrower_id: str) -> Iterator[Suggestion]:
    snapshot = find_with_loans(app_id)
    if snapshot is None:
        return
    rows = list_settled(snapshot).filter(lacks_letter(app_id), borrower_id=borrower_id)
    for row in rows.order_by("-settlement_day", "-pk")[:_MOST]:
        url = reverse("loan-papers", args=[app_id, row.account_id])
        yield Suggestion(PaperKind.DISCHARGE, row.account_id, url)


def _list_refused_offers(rows: Sequence[OfferRequest]) -> Iterator[Suggestion]:
    for row in rows:
        if _is_refused(partial(refusal.read_offer, row)):
            args = [row.app_id, row.borrower_id, row.request_id]
            url = reverse("offer-refusal", args=args)
            yield Suggestion(PaperKind.REFUSAL, row.request_id, url)


def _list_open_offers(rows: Sequence[OfferRequest]) -> Iterator[Suggestion]:
    now = timezone.now()
    for row in rows:
        if row.response and row.response.products and not row.is_expired(now):
            args = [row.app_id, row.borrower_id, row.request_id]
            url = reverse("key-facts", args=args)
            yield Suggestion(PaperKind.KEY_FACTS, row.request_id, url)


def _list_assessments(app_id: str, borrower_id: str) -> Iterator[Suggestion]:
    index = known.find_index(app_id)
    rows = known.list_known(index, account_id(borrower_id)) if index else None
    newest = rows.order_by("-made_at", "-pk").first() if rows is not None else None
    if newest is None:
        return
    key, assessments = newest.assessment_id, gateway.app(app_id).assessments
    # A slow service must not hold up the other papers.
    [found] = read_in_parallel(
        gateway.client(),
        lambda: check_named(assessments.get(key), key),
        seconds=_LONGEST_WAIT,
    )
    if isinstance(found, LendingError):
        return
    if _is_refused(partial(refusal.read_assessment, found)):
        url = reverse("assessment-refusal", args=[app_id, key])
        yield Suggestion(PaperKind.REFUSAL, key, url)


def _is_refused(read: Callable[[], object]) -> bool:
    try:
        read()
    except Unfit:
        return False
    return True
