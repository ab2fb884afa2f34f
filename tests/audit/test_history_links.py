"""Each page of a record leads to its own history, for people who may see the trail."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.template import Context
from django.test import Client, RequestFactory
from django.urls import resolve

from lendingadmin.core import audit
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.web.converters import quote
from lendingadmin.web.templatetags.histories import history_url
from tests.conftest import ClientOf
from tests.repayments.rows import row
from tests.sandbox.calling import Caller, new_assessment

pytestmark = pytest.mark.django_db
LABEL = "History in the audit trail"


def history_of(client: Client, page: str) -> str:
    """Where a page's link leads, or nothing."""
    found = re.search(
        rf'href="(/audit/[^"]*)"[^>]*>(?:(?!</a>).)*{LABEL}',
        client.get(page).content.decode(),
        re.S,
    )
    return unescape(found[1]) if found else ""


def subjects(client: Client, address: str) -> list[str]:
    return [entry.subject for entry in client.get(address).context["entries"]]


@pytest.fixture
def pages(app: LendingApp, book: Caller, manager: User) -> dict[str, str]:
    """The page of one record of each kind, and an entry about each and about another."""
    here = f"/apps/{app.app_id}"
    repayment = row(manager, app_id=app.app_id, account_id="l", borrower_id="b")
    write = Write.objects.create(
        idempotency_key="t", person=manager, app_id=app.app_id, operation="loans.delete"
    )
    for action, subject, url in (
        ("borrowers.patch", "b", ""),
        ("borrowers.getOffers", "b", ""),
        ("borrowers.patch", "other", ""),
        ("loans.delete", "l", write.get_absolute_url()),
        ("loans.makeRepayment", f"l {repayment}", repayment.get_absolute_url()),
        ("loans.makeRepayment", "l rp-999999", f"{here}/repayments/999999/"),
    ):
        audit.record(manager, action, app_id=app.app_id, subject=subject, outcome="done", url=url)
    return {
        "borrower": f"{here}/borrowers/b/",
        "loan": f"{here}/loans/l/",
        "repayment": repayment.get_absolute_url(),
        "write": write.get_absolute_url(),
        "offer": f"{here}/borrowers/b/offers/r-1/",
    }


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        # Its page shows the person, and the trail has that too.
        ("borrower", ["borrower:b", "b", "b"]),
        ("loan", ["l rp-999999", "l {repayment}", "l"]),
        ("repayment", ["l {repayment}"]),
        ("write", ["l"]),
        ("offer", ["b"]),
    ],
)
def test_it_leads_to_what_was_done_to_this_record_alone(
    kind: str, found: list[str], pages: dict[str, str], boss: Client
) -> None:
    number = f"rp-{pages['repayment'].split('/')[-2]}"
    wanted = [one.format(repayment=number) for one in found]
    assert subjects(boss, history_of(boss, pages[kind])) == wanted


def test_an_assessment_leads_to_those_of_its_account(
    app: LendingApp, book: Caller, boss: Client
) -> None:
    made = book.post("/assessments", new_assessment(accountId="borrower:b")).body
    for action, subject in (
        ("assessments.create", "borrower:b"),
        ("assessments.create", "borrower:other"),
        ("borrowers.patch", "b"),
    ):
        audit.record(None, action, app_id=app.app_id, subject=subject, outcome="saved")
    page = f"/apps/{app.app_id}/assessments/{made['assessmentId']}/"
    assert subjects(boss, history_of(boss, page)) == ["borrower:b"]


def test_an_event_leads_to_those_of_its_account_and_time(manager: User, rf: RequestFactory) -> None:
    at = "2026-03-01T08:00:00Z"
    request = rf.get(f"/apps/kenya/events/{quote('borrower:b')}/x/{quote(at)}/")
    request.user, request.resolver_match = manager, resolve(request.path)
    address = history_url(Context({"request": request}))
    assert parse_qs(urlsplit(address).query) == {"record": [f"borrower:b {at}"], "app": ["kenya"]}


def test_a_person_leads_to_what_was_done_to_the_account(
    boss: Client, support: User, officer: User
) -> None:
    for person in (support, officer):
        audit.record(person, "sign-in", subject=person.username, outcome="done")
    page = boss.get(f"/people/{support.pk}/").content.decode()
    (address,) = re.findall(r'href="(/audit/\?record=[^"]*)"', page)
    assert subjects(boss, unescape(address)) == ["support"]
    (address,) = re.findall(r'href="(/audit/\?person=[^"]*)"', page)
    assert subjects(boss, unescape(address)) == ["support"]


def test_it_is_not_offered_to_who_may_not_see_the_trail(
    pages: dict[str, str], client_of: ClientOf, officer: User
) -> None:
    client = client_of(officer)
    for page in pages.values():
        assert LABEL not in client.get(page).content.decode()


def test_nor_on_a_page_without_a_record(boss: Client, app: LendingApp) -> None:
    for page in ("/glossary/", "/people/", f"/apps/{app.app_id}/loans/new"):
        assert LABEL not in boss.get(page).content.decode()
