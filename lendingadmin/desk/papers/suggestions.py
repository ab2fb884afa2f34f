"""Papers about records of a borrower, each with one button on the borrower's page of papers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

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
from lendingadmin.lending.values import Assessment, Product, number
from lendingadmin.money.writes import idempotency
from lendingadmin.records.assessments import known
from lendingadmin.records.offers import catalogue
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.records.offers.views.offers import MAY_ASK
from lendingadmin.web.requests import PersonRequest

from . import refusal
from .figures import Unfit
from .forms import KeyFactsForm
from .models import Paper, PaperKind

# Records of a kind, the newest first.
_MOST = 3
# Seconds to wait for the newest assessment and the names of products.
_LONGEST_WAIT = 1.0


@dataclass(frozen=True)
class Suggestion:
    """A paper about a record. A form sends `token` to `url`.

    `buttons` has the name, the value and the label of each button that makes a paper. For key
    facts, `form` has the amount and the day of the preview, and `limit` is the limit of the offer.
    """

    kind: PaperKind
    record: str
    url: str
    buttons: tuple[tuple[str, str, str], ...]
    token: str = ""
    form: KeyFactsForm | None = None

    @property
    def limit(self) -> Decimal | None:
        """The limit of the offer; None if there is none."""
        return number(self.form.offer.credit_limit) if self.form else None


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
    The newest assessment and the names of products are read from the service. If the assessment
    can't be read within a second, there is no paper about it; products are named by their ids.
    """
    may = request.user.has_perm
    asked = OfferRequest.objects.filter(app_id=app_id, borrower_id=borrower_id)
    newest = list(asked.order_by("-asked_at")[:_MOST])
    now, offers = timezone.now(), []
    if may("lending.borrowers.getOfferContracts"):
        offers = [one for one in newest if _has_products(one) and not one.is_expired(now)]
    assessment_id = ""
    if may("lending.assessments.get"):
        assessment_id = _find_assessment(app_id, borrower_id)
    assessment, products = read_quickly(
        partial(_read_assessment, app_id, assessment_id) if assessment_id else None,
        catalogue.products if offers and may("lending.products.list") else None,
    )
    found = list(_list_letters(app_id, borrower_id))
    if may(MAY_ASK):
        found += _list_refused_offers(newest)
    found += _list_open_offers(offers, products or ())
    if assessment and _is_refused(partial(refusal.read_assessment, assessment)):
        url = reverse("assessment-refusal", args=[app_id, assessment_id])
        found.append(_suggest(PaperKind.REFUSAL, assessment_id, url))
    return [
        replace(one, token=idempotency.issue_key(request, write_purpose(one.url))) for one in found
    ]


def _suggest(kind: PaperKind, record: str, url: str) -> Suggestion:
    return Suggestion(kind, record, url, (("kind", kind.value, str(kind.label)),))


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
        yield _suggest(PaperKind.DISCHARGE, row.account_id, url)


def _list_refused_offers(rows: Sequence[OfferRequest]) -> Iterator[Suggestion]:
    for row in rows:
        if _is_refused(partial(refusal.read_offer, row)):
            args = [row.app_id, row.borrower_id, row.request_id]
            url = reverse("offer-refusal", args=args)
            yield _suggest(PaperKind.REFUSAL, row.request_id, url)


def _has_products(row: OfferRequest) -> bool:
    return bool(row.is_named and row.response and row.response.products)


def _list_open_offers(
    rows: Sequence[OfferRequest], products: Sequence[Product]
) -> Iterator[Suggestion]:
    """Yield the key facts of offers: one button for each product, for the limit of the offer."""
    for row in rows:
        form = KeyFactsForm(
            offer=row.response,
            app=gateway.lending_app(row.app_id),
            name_product=partial(catalogue.called, catalogue=products),
            auto_id=False,
        )
        url = reverse("key-facts", args=[row.app_id, row.borrower_id, row.request_id])
        buttons = tuple(form.buttons)
        yield Suggestion(PaperKind.KEY_FACTS, row.request_id, url, buttons, form=form)


def _find_assessment(app_id: str, borrower_id: str) -> str:
    """Return the id of the newest known assessment of a borrower; empty if there is none."""
    index = known.find_index(app_id)
    rows = known.list_known(index, account_id(borrower_id)) if index else None
    newest = rows.order_by("-made_at", "-pk").first() if rows is not None else None
    return newest.assessment_id if newest else ""


def _read_assessment(app_id: str, key: str) -> Assessment:
    return check_named(gateway.app(app_id).assessments.get(key), key)


def read_quickly(*reads: Callable[[], Any] | None) -> list[Any]:
    """Return the answers of the service that come within a second.

    An answer is None if its read is None, if the read fails, or if it takes longer. A page must not
    wait for what it can do without.
    """
    wanted = [one for one in reads if one]
    answers = iter(
        read_in_parallel(gateway.client(), *wanted, seconds=_LONGEST_WAIT) if wanted else ()
    )
    found = [next(answers) if one else None for one in reads]
    return [None if isinstance(one, LendingError) else one for one in found]


def _is_refused(read: Callable[[], object]) -> bool:
    try:
        read()
    except Unfit:
        return False
    return True
