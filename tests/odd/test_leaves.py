"""Whatever the spec names, and whatever else the service sends, is found on the record's page."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import OfferOperation, moment
from lendingadmin.records.offers.asking import state_of
from lendingadmin.records.offers.models import OfferRequest
from tests.conftest import confirm
from tests.odd.addresses import LOAN_OF_OFFER, PAGES
from tests.odd.marked import Marked
from tests.odd.pages import ask
from tests.odd.service import OddService
from tests.odd.variants import good

pytestmark = pytest.mark.django_db

_APP = "/apps/kenya"
_BORROWER = f"{_APP}/borrowers/B-1"
_CONTRACTS, _OFFER = PAGES["LendingContract"].lists[0], f"{_BORROWER}/offers/r-1/"
_EVENT, _REVEALED = PAGES["Event"].pages


class Case(NamedTuple):
    """A resource, who looks at it, on which page, and what is given where a mark can't be.

    Who looks at a borrower or a loan is somebody to whom the whole record is open.
    """

    resource: str
    role: str
    address: str
    given: Mapping[str, tuple[object, ...]] = {}


_COMPANY = {"Borrower.category": ("company",), "Borrower.individual": (None,)}
# An operation that failed has an error in place of an offer.
_FAILED = {"OfferResult.error": ("mkerrorz",), "OfferResult.response": (None,)}
_OF_PRODUCT = {"LendingContract.productId": ("P-1",)}
CASES = {
    "individual": Case("Borrower", "officer", f"{_BORROWER}/?whole=1"),
    "company": Case("Borrower", "officer", f"{_BORROWER}/?whole=1", _COMPANY),
    "record": Case("Borrower", "officer", f"{_BORROWER}/panels/record"),
    "loan": Case("Loan", "officer", f"{_APP}/loans/L-1/"),
    "preview": Case("LendingContract", "officer", _CONTRACTS),
    "loan of a preview": Case("LendingContract", "officer", LOAN_OF_OFFER, _OF_PRODUCT),
    "assessment": Case("Assessment", "officer", f"{_APP}/assessments/A-1/"),
    "assessment type": Case("AssessmentType", "viewer", "/assessment-types/T-1/"),
    "product": Case("Product", "viewer", "/products/P-1/"),
    "event": Case("Event", "officer", _REVEALED),
    "offer": Case("Operation", "officer", _OFFER),
    "failed offer": Case("Operation", "officer", _OFFER, _FAILED),
}


class _Visible(HTMLParser):
    """What a person can read or hover over: text, and the exact value of times and rates."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "time"):
            self._within.append(tag)
        self.parts += [value or "" for name, value in attrs if name in ("title", "datetime")]

    def handle_endtag(self, tag: str) -> None:
        if self._within and self._within[-1] == tag:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.parts.append(data)


def visible(page: str) -> str:
    """The text of a page, its times and rates exactly."""
    reader = _Visible()
    reader.feed(page)
    return " ".join(" ".join(reader.parts).split())


@pytest.fixture
def as_role(people: dict[str, User], service: OddService) -> Callable[[str], Client]:
    """A browser of a person of this role; nobody but a manager is shown the calls as they came."""

    def sign_in(role: str) -> Client:
        client = Client()
        client.force_login(people[role])
        confirm(client, people[role])
        return client

    return sign_in


def show(desk: Client, service: OddService, case: Case, value: dict[str, Any], asker: User) -> str:
    """The page of this resource, as the service or the kept answer of an offer has it."""
    operation = value if case.resource == "Operation" else good("Operation")
    _answer(operation, asker)
    service.give(case.resource, value)
    code, page = ask(desk, case.address)
    assert code == 200, (case, code)
    return page


def _answer(answer: dict[str, Any], asker: User) -> None:
    """The request `r-1` of borrower B-1, answered so."""
    operation = OfferOperation(answer)
    then = timezone.now() - timedelta(minutes=1)
    fields: dict[str, Any] = {
        "assessment_type": "assessmentTypes/T-1",
        "asked_by": asker,
        "asked_at": then,
        "last_asked_at": then,
        "state": state_of(operation),
        "expiry_time": moment(getattr(operation.metadata, "expiry_time", None)),
        "answer": OddService.text(answer),
        "answered_at": then,
    }
    OfferRequest.objects.update_or_create(
        app_id="kenya", borrower_id="B-1", request_id="r-1", defaults=fields
    )


def missing(marked: Marked, page: str) -> Iterator[str]:
    """The places whose mark is nowhere on the page."""
    text = visible(page)
    for leaf in marked.leaves:
        if not any(words in text for words in leaf.shown):
            yield leaf.place


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_leaf_is_found_on_its_page(
    as_role: Callable[[str], Client], service: OddService, people: dict[str, User], case: Case
) -> None:
    marked = Marked(case.resource, case.given)
    desk, asker = as_role(case.role), people["officer"]
    page = show(desk, service, case, marked.value, asker)
    not_found = list(missing(marked, page))
    not_found += unchanged(marked, lambda value: show(desk, service, case, value, asker))
    assert not_found == [], "\n".join(
        [f"{len(not_found)} of {len(marked.leaves) + len(marked.flags)} leaves", *not_found]
    )


def test_nothing_that_the_spec_does_not_name_is_on_the_page_of_a_masked_event(
    as_role: Callable[[str], Client], service: OddService, people: dict[str, User]
) -> None:
    marked, case = Marked("Event"), Case("Event", "officer", _EVENT)
    page = show(as_role("officer"), service, case, marked.value, people["officer"])
    ends = (".smsId", "unknown key)", "object)", "list)")
    hidden = [leaf for leaf in marked.leaves if leaf.place.endswith(ends)]
    assert len(hidden) > 20
    assert [leaf.place for leaf in hidden if any(words in page for words in leaf.shown)] == []


def unchanged(marked: Marked, shown: Callable[[dict[str, Any]], str]) -> list[str]:
    """The booleans that a page tells nothing of: it is the same whether they are true or false."""
    before = _steady(shown(marked.value))
    return [place for place, value in marked.flips() if _steady(shown(value)) == before]


def _steady(page: str) -> str:
    """A page's text without the time at which it was made."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*", "", visible(page))
