"""Lists of borrowers over the newest count: which borrowers, for whom, and page by page."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment
from tests import plans
from tests.conftest import ClientOf
from tests.faults.behaviours import reply
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import counted, read_page
from tests.portfolio.service import BookService
from tests.portfolio.test_loan_lists import owing
from tests.roles import hold_only

pytestmark = pytest.mark.django_db
LIVE = "/apps/kenya/borrowers/"
BORROWERS = f"{LIVE}lists/"


def assign(borrower_id: str, officer: User, app_id: str = "kenya") -> None:
    Assignment.objects.create(app_id=app_id, borrower_id=borrower_id, officer=officer, basis="hand")


def ids(html: str) -> list[str]:
    """The borrowers of a page, in order."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'class="stretch" href="/apps/kenya/borrowers/([^"/]+)/"', body)


@pytest.fixture
def book(service: BookService, officer: User, support: User) -> BookService:
    """Three who owe, one overdue, one with a closed loan; an officer has one who owes nothing."""
    service.loans = [
        owing(1, "-3.00", borrowerId="B-2"),
        owing(2, "7.00", borrowerId="B-1"),
        owing(3, "0.00", borrowerId="B-1"),
        owing(4, None, borrowerId="B-3"),
        owing(5, "9.00", borrowerId="B-4", status=3),
        owing(6, "0.00", borrowerId=None),
    ]
    counted()
    assign("B-1", officer), assign("B-5", officer), assign("B-3", support)
    assign("B-2", officer, "ghana")
    return service


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("show=open", ["B-1", "B-2", "B-3"]),
        ("show=overdue", ["B-1"]),
        ("officer=mine", ["B-1", "B-5"]),
        ("show=open&officer=mine", ["B-1"]),
        ("officer={support}", ["B-3"]),
        ("show=overdue&officer={support}", []),
        # An address that makes no sense lists none.
        *((query, []) for query in ("show=x", "officer=0", "officer=x", "officer=%00")),
        ("show=open&after=B-1", ["B-2", "B-3"]),
        ("show=open&after=%00", ["B-1", "B-2", "B-3"]),
    ],
)
def test_each_filter_has_its_borrowers(
    query: str, expected: list[str], client_of: ClientOf, officer: User, support: User, book: object
) -> None:
    html = read_page(client_of(officer), f"{BORROWERS}?{query.format(support=support.pk)}")
    assert ids(html) == expected
    assert "data-updated" in html
    assert ('data-finding="without-borrower"' in html) == (
        "show=open" in query or "show=overdue" in query
    )


def test_a_row_has_the_loans_of_its_borrower(
    client_of: ClientOf, officer: User, book: object
) -> None:
    html = read_page(client_of(officer), f"{BORROWERS}?show=overdue")
    cells = re.findall(r'<td data-label="[^"]*"(?: class="number")?>(.*?)</td>', html)
    assert cells[1:] == ["2", "120.00", "7.00", "12", "officer"]


def test_names_and_phones_are_masked_by_rights(
    client_of: ClientOf,
    people: dict[str, User],
    book: object,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann", phoneNumber="+254700000001")
    address = f"{BORROWERS}?show=overdue"
    assert {"Kamau Ann", "tel:+254700000001"} <= _found(client_of(people["support"]), address)
    assert not _found(client_of(people["viewer"]), address)


def _found(client: Client, address: str) -> set[str]:
    html = read_page(client, address)
    assert ids(html) == ["B-1"]
    return {one for one in ("Kamau Ann", "tel:+254700000001") if one in html}


def test_officers_are_for_people_who_call_or_assign(
    client_of: ClientOf, people: dict[str, User], book: object
) -> None:
    officer = people["officer"]
    for role, sees in (("officer", True), ("manager", True), ("viewer", False)):
        html = read_page(client_of(people[role]), f"{BORROWERS}?show=open")
        assert ('name="officer"' in html, f'value="{officer.pk}"' in html) == (sees, sees), role
    # The filter that is not there filters nothing.
    answer = client_of(people["viewer"]).get(f"{BORROWERS}?officer={officer.pk}")
    assert (answer.status_code, answer["Location"]) == (302, LIVE)


def test_the_lists_are_tabs_of_the_live_list_once_there_is_a_count(
    client_of: ClientOf, officer: User, service: BookService
) -> None:
    service.server.on("GET /v1/projects/demo/apps/kenya/borrowers?", reply(b'{"borrowers": []}'))
    client = client_of(officer)
    assert BORROWERS not in read_page(client, LIVE)
    answer = client.get(f"{BORROWERS}?show=open")
    assert (answer.status_code, answer["Location"]) == (302, LIVE)
    counted()
    html = read_page(client, LIVE)
    tabs = re.findall(rf'href="({BORROWERS}[^"]+)"', html)
    assert [one.partition("?")[2] for one in tabs] == ["show=open", "show=overdue", "officer=mine"]
    for address in map(unescape, tabs):
        assert f'href="{address}" aria-current="page"' in read_page(client, address)
    hold_only(officer, "borrowers.list")
    assert BORROWERS not in read_page(client_of(officer), LIVE)
    assert client_of(officer).get(f"{BORROWERS}?show=open").status_code == 403


def test_pages_follow_each_other_and_each_borrower_is_there_once(
    client_of: ClientOf, officer: User, service: BookService
) -> None:
    service.size = 1000
    service.loans = [owing(n, borrowerId=f"B-{n % 70:03}") for n in range(140)]
    counted()
    client, address, seen = client_of(officer), f"{BORROWERS}?show=overdue", list[str]()
    while address:
        html = read_page(client, address)
        seen += ids(html)
        following = re.search(r'href="([^"]+)" rel="next"', html)
        address = unescape(following[1]) if following else ""
    assert seen == [f"B-{n:03}" for n in range(70)]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others scan a table this small")
@pytest.mark.parametrize(
    "query", ["show=open", "show=overdue", "officer=mine", "show=open&officer=mine"]
)
def test_an_index_leads_to_the_borrowers(
    query: str, client_of: ClientOf, officer: User, book: object
) -> None:
    client = client_of(officer)
    with plans.watched_queries() as queries, CaptureQueriesContext(connection) as made:
        read_page(client, f"{BORROWERS}?{query}&after=B-0")
    assert not plans.scans_of(queries)
    listed = [one["sql"] for one in made if "DISTINCT" in one["sql"]]
    assert len(listed) == 1
    steps = plans.explain(listed[0], ())
    assert not [step for step in steps if "SCAN" in step or "TEMP B-TREE" in step], steps
