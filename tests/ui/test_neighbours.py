"""From inside a record to the next of the list that it was opened from, and back to its row."""

import re
from html import unescape
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from lendingadmin.gateway import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.ui import neighbours
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer
from tests.roles import hold_only
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ROLE = "viewer"
HTMX = {"HX-Request": "true"}
NAMES = [f"l{number:02}" for number in range(1, 61)]


@pytest.fixture
def full(book: Caller) -> Caller:
    """With `l`, 61 loans: 25 on each page but the last."""
    for name in NAMES:
        book.loan(name)
    return book


class Nav:
    """What a page offers beside its record."""

    def __init__(self, html: str) -> None:
        found = re.search(r'<nav class="beside.*?</nav>', html, re.S)
        self.html = unescape(found[0]) if found else ""
        self.text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", self.html)).strip()

    def href(self, name: str) -> str:
        found = re.search(rf'id="beside-{name}"[^>]*href="([^"]+)"', self.html) or re.search(
            rf'id="beside-{name}" class="end" href="([^"]+)"', self.html
        )
        return found[1] if found else ""

    @property
    def lazy(self) -> str:
        found = re.search(r'hx-get="([^"]+)"', self.html)
        return found[1] if found else ""


def text(desk: Client, address: str, **headers: str) -> str:
    answer = desk.get(address, headers=headers or None)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def looked(desk: Client, record: str) -> Nav:
    """The record's neighbours, once the page has looked for them."""
    nav = Nav(text(desk, record))
    return Nav(text(desk, nav.lazy, **HTMX))


def rows(desk: Client, address: str) -> dict[str, str]:
    """The rows' names and where they lead."""
    found = re.findall(r'<a id="([^"]+)" class="stretch[^>]*href="([^"]+)"', text(desk, address))
    return {name: unescape(href) for name, href in found}


def test_a_row_knows_its_list_and_the_record_leads_through_it(
    desk: Client, app: LendingApp, full: Caller
) -> None:
    listed = f"/apps/{app.app_id}/loans/?order=desc&pageSize=25"
    names = rows(desk, listed)
    assert next(iter(names)) == "r-l60"
    assert len(names) == 25
    first, second = looked(desk, names["r-l60"]), looked(desk, names["r-l59"])
    assert first.href("previous") == ""
    assert "1 of 25 on this page" in first.text
    assert first.href("next") == names["r-l59"]
    assert second.href("previous") == names["r-l60"]
    assert first.href("back") == f"{listed}#r-l60"


def test_next_leads_through_the_page_and_ends_with_it(
    desk: Client, app: LendingApp, full: Caller
) -> None:
    names = rows(desk, f"/apps/{app.app_id}/loans/?order=asc&pageSize=25")
    seen, record = [], names["r-l"]
    while record:
        seen.append(record.partition("/?")[0].rpartition("/")[2])
        record = looked(desk, record).href("next")
    assert seen == ["l", *NAMES[:24]]


def test_on_the_next_page_the_way_back_is_that_page(
    desk: Client, app: LendingApp, full: Caller
) -> None:
    first = text(desk, f"/apps/{app.app_id}/loans/?order=asc&pageSize=25")
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following
    names = rows(desk, unescape(following[1]))
    nav = looked(desk, names["r-l25"])
    assert "1 of 25 on this page" in nav.text
    assert nav.href("previous") == ""
    page, _, row = nav.href("back").partition("#")
    assert row == "r-l25"
    assert next(iter(rows(desk, page))) == "r-l25"


def test_a_filter_is_kept(desk: Client, app: LendingApp, full: Caller) -> None:
    full.borrower("c")
    full.loan("other", borrowerId="c")
    full.loan("another", borrowerId="c")
    names = rows(desk, f"/apps/{app.app_id}/loans/?borrowerId=c&accountId=&order=")
    # The newest first, as no order is chosen.
    assert list(names) == ["r-another", "r-other"]
    assert "accountId" not in names["r-other"]
    assert looked(desk, names["r-another"]).href("next") == names["r-other"]
    assert looked(desk, names["r-other"]).href("next") == ""


def test_the_plain_list_costs_a_row_little(desk: Client, app: LendingApp, book: Caller) -> None:
    assert rows(desk, f"/apps/{app.app_id}/loans/")["r-l"] == (
        f"/apps/{app.app_id}/loans/l/?list=loans/"
    )


def test_the_narrow_reading_asks_for_the_same_page(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    listed = "loans/?status=2&order=desc&pageSize=25"
    text(desk, f"/apps/{app.app_id}/{listed}")
    asked = proxy.last("/loans?").path
    nav = Nav(text(desk, f"/apps/{app.app_id}/loans/l/?list={listed.replace('&', '%26')}"))
    assert proxy.hits("/loans?") == 1
    text(desk, nav.lazy, **HTMX)
    assert proxy.hits("/loans?") == 2
    assert proxy.last("/loans?").path == asked


def test_without_scripts_a_plain_link_leads_on(desk: Client, app: LendingApp, full: Caller) -> None:
    names = rows(desk, f"/apps/{app.app_id}/loans/?order=asc&pageSize=25")
    before = Nav(text(desk, names["r-l01"]))
    assert desk.get(before.href("next")).headers["Location"] == names["r-l02"]
    assert desk.get(before.href("previous")).headers["Location"] == names["r-l"]
    end = Nav(text(desk, names["r-l"])).href("previous")
    assert "1 of 25 on this page" in text(desk, end)


def test_a_loan_that_is_not_there_any_more(desk: Client, app: LendingApp, book: Caller) -> None:
    book.loan("m")
    book.borrower("nobody")
    nav = looked(desk, f"/apps/{app.app_id}/loans/l/?list=loans/?borrowerId=nobody")
    assert "Not on that page of the list any more" in nav.text
    assert nav.href("next") == nav.href("previous") == ""
    assert nav.href("back") == f"/apps/{app.app_id}/loans/?borrowerId=nobody#r-l"


def test_could_not_look_offers_another_look(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    proxy.on("/loans?", refusal(500, "down"))
    nav = looked(desk, f"/apps/{app.app_id}/loans/l/?list=loans/")
    assert "Could not look in the list" in nav.text
    assert "any more" not in nav.text
    proxy.on("/loans?", reply({"loans": [{"accountId": "l"}], "nextPageToken": None}))
    assert "1 of 1 on this page" in Nav(text(desk, nav.href("again"), **HTMX)).text


@pytest.mark.parametrize(
    "value",
    [
        "",
        "//elsewhere.example/loans/",
        "https://elsewhere.example/",
        "../ghana/loans/",
        "loans/new",
        "loans/l/",
        "audit/",
        "events/",
        "loans/" + "x" * 2000,
        "\x00",
    ],
)
def test_only_a_list_of_this_app_is_a_list(
    desk: Client, app: LendingApp, book: Caller, value: str
) -> None:
    page = desk.get(f"/apps/{app.app_id}/loans/l/", {"list": value}).content.decode()
    assert Nav(page).html == ""
    assert f'<a href="/apps/{app.app_id}/loans/">Loans</a>' in page
    at = f"/apps/{app.app_id}/neighbours"
    assert desk.get(at, {"list": value, "of": "l", "go": "next"}).status_code == 404


def test_a_query_leads_nowhere_else(desk: Client, app: LendingApp, book: Caller) -> None:
    value = 'loans/?borrowerId="><script>&next=//elsewhere.example'
    nav = Nav(desk.get(f"/apps/{app.app_id}/loans/l/", {"list": value}).content.decode())
    assert nav.href("back").startswith(f"/apps/{app.app_id}/loans/?borrowerId=%22%3E%3Cscript%3E")


def test_who_may_not_see_the_list_is_not_told_of_it(
    app: LendingApp, book: Caller, client_of: ClientOf, viewer: User
) -> None:
    hold_only(viewer, "loans.get")
    at = f"/apps/{app.app_id}/neighbours"
    answer = client_of(viewer).get(at, {"list": "loans/", "of": "l"})
    assert answer.status_code == 403


def test_borrowers_and_assessments_have_neighbours_too(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.borrower("ä/b c".replace("/", ":"))
    names = rows(desk, f"/apps/{app.app_id}/borrowers/")
    (first, second) = names.values()
    assert looked(desk, first).href("next") == second
    assert looked(desk, second).href("back").startswith(f"/apps/{app.app_id}/borrowers/#r-")


def test_from_a_borrower_s_loans_and_back_to_them(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.loan("m")
    names = rows(desk, f"/apps/{app.app_id}/borrowers/b/panels/loans")
    newest, oldest = names.values()
    nav = looked(desk, newest)
    assert nav.href("next") == oldest
    assert nav.href("back") == f"/apps/{app.app_id}/borrowers/b/#panel-loans"
    assert "2 of 2" in looked(desk, oldest).text


def test_a_mark_that_would_be_long_is_left_out() -> None:
    query = QueryDict(f"pageToken={'x' * 2000}")
    assert neighbours.ListPlace("loans", {"app_id": "kenya"}, query).mark == ""
    short: Any = neighbours.ListPlace("loans", {"app_id": "kenya"}, QueryDict("a=b%26c&d=é"))
    assert short.mark == "?list=loans/?a=b%2526c%26d=%25C3%25A9"
