"""CSV of whole lists: every row, the API's names, exact money, honest when it breaks off."""

import csv
import io
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import ServiceFault
from lendingadmin.web.exports import BROKEN_OFF
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, press
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "support"
LISTS = ("borrowers", "loans", "assessments", "events", "repayments")
LOANS = "GET /v1/projects/demo/apps/kenya/loans?"


@pytest.fixture
def odd_service(fault_server: FaultServer, settings: Any) -> FaultServer:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    return fault_server


def table(answer: Any) -> list[list[str]]:
    """The rows of a streamed answer, the head first."""
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def records(answer: Any) -> list[dict[str, str]]:
    head, *rows = table(answer)
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_loans_with_their_balances(desk: Client, app: LendingApp, book: Caller) -> None:
    (loan,) = records(desk.get(f"/apps/{app.app_id}/loans/export.csv?technical=1"))
    assert (loan["accountId"], loan["borrowerId"], loan["loanAmount"]) == ("l", "b", "1200.00")
    kept = book.get("/loans/l").body["balances"]["principal"]["unpaid"]
    assert loan["balances.principal.unpaid"] == f"{kept:f}"
    told = Entry.objects.filter(action="dashboard.export", subject="loans").order_by("id")
    assert [(entry.outcome, entry.detail) for entry in told] == [
        ("started", "technical"),
        ("done", "1 row"),
    ]


@pytest.mark.parametrize(
    ("query", "count"), [("", 2), ("?accountId=l", 1), ("?borrowerId=nobody", 0)]
)
def test_the_filter_is_kept(
    desk: Client, app: LendingApp, book: Caller, query: str, count: int
) -> None:
    book.loan("another")
    assert (
        len(records(desk.get(f"/apps/{app.app_id}/loans/export.csv{query or '?'}&technical=1")))
        == count
    )


@pytest.mark.parametrize(
    ("query", "order"), [("", ["another", "l"]), ("?order=asc", ["l", "another"])]
)
def test_the_order_is_the_list_s(
    desk: Client, app: LendingApp, book: Caller, query: str, order: list[str]
) -> None:
    book.loan("another")
    address = f"/apps/{app.app_id}/loans/{query}"
    assert [loan.account_id for loan in desk.get(address).context["list"].items] == order
    rows = records(desk.get(f"/apps/{app.app_id}/loans/export.csv{query or '?'}&technical=1"))
    assert [row["accountId"] for row in rows] == order


def test_borrowers_and_no_formula(desk: Client, app: LendingApp, book: Caller) -> None:
    book.borrower("second", individual={"surname": "=1+1"})
    rows = records(desk.get(f"/apps/{app.app_id}/borrowers/export.csv?technical=1"))
    assert [row["borrowerId"] for row in rows] == ["b", "second"]
    assert rows[0]["individual.surname"] == "WANJIRU"
    assert rows[1]["individual.surname"] == "'=1+1"
    assert rows[0]["individual.phoneNumber"] == "+254700000001"


def test_products_and_types(desk: Client, app: LendingApp) -> None:
    products = records(desk.get("/products/export.csv?technical=1"))
    assert products[0]["terms.interest.baseRate"] == "0.24"
    types = records(desk.get("/assessment-types/export.csv?technical=1"))
    assert types[0]["settings.apps.channels"] == '["mobile", "web"]'


def test_the_journal(desk: Client, app: LendingApp, book: Caller) -> None:
    press(desk, enter(desk, app, amount="100.50"))
    (row,) = records(desk.get(f"/apps/{app.app_id}/repayments/export.csv?technical=1"))
    assert (row["accountId"], row["amount"], row["currencyCode"]) == ("l", "100.5", "KES")
    assert (row["externalId"], row["state"], row["person"]) == ("TX", "recorded", "support")
    assert (
        records(desk.get(f"/apps/{app.app_id}/repayments/export.csv?technical=1&state=refused"))
        == []
    )


@pytest.mark.parametrize("name", LISTS)
def test_a_link_on_each_list_keeps_the_filter(
    client_of: ClientOf, support: User, viewer: User, app: LendingApp, book: Caller, name: str
) -> None:
    address = f"/apps/{app.app_id}/{name}/"
    page = client_of(support).get(f"{address}?accountId=x&pageSize=25").content.decode()
    assert f'href="{address}export.csv?accountId=x"' in page
    assert "export.csv" not in client_of(viewer).get(address).content.decode()


def test_a_viewer_may_not(client_of: ClientOf, viewer: User, app: LendingApp) -> None:
    desk = client_of(viewer)
    for name in LISTS:
        assert desk.get(f"/apps/{app.app_id}/{name}/export.csv").status_code == 403


def test_a_filter_that_cant_be_sent_goes_back_to_the_list(desk: Client, app: LendingApp) -> None:
    answer = desk.get(f"/apps/{app.app_id}/loans/export.csv?accountId=a+b")
    assert answer.headers["Location"] == f"/apps/{app.app_id}/loans/?accountId=a+b"


def test_every_page_to_the_last_digit(desk: Client, odd_service: FaultServer) -> None:
    first = '{"loans": [{"accountId": "1", "loanAmount": 0.10000000000000000001}, 7],'
    odd_service.on(
        LOANS,
        reply(first + '"nextPageToken": "t"}'),
        reply('{"loans": [{"accountId": "2", "balances": "odd"}], "nextPageToken": null}'),
    )
    head, *rows = table(desk.get("/apps/kenya/loans/export.csv?technical=1"))
    assert rows[0][head.index("loanAmount")] == "0.10000000000000000001"
    # What is no record may say anything of anybody, and support does not see all of a borrower.
    assert rows[1] == ["•••"]
    assert rows[2][head.index("balances.fees.due")] == "odd"
    assert "pageToken=t" in odd_service.last(LOANS).line


def test_what_breaks_off_says_so(desk: Client, odd_service: FaultServer) -> None:
    page = simplejson.dumps({"loans": [{"accountId": "1"}], "nextPageToken": "t"})
    odd_service.on(LOANS, reply(page), refusal(500, "broken"))
    rows = table(desk.get("/apps/kenya/loans/export.csv?technical=1"))
    assert rows[-1] == [BROKEN_OFF % {"rows": 1, "why": ServiceFault.default_message}]


def test_a_fault_before_the_first_row_is_a_card(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, refusal(500, "broken"))
    answer = desk.get("/apps/kenya/loans/export.csv?technical=1")
    assert answer.status_code == 502
    assert list_marks(answer, "finding") == ["lending-error"]


def test_a_size_that_is_refused_is_left_off(desk: Client, odd_service: FaultServer) -> None:
    where = "GET /v1/projects/demo/apps/kenya/borrowers"
    whole = reply('{"borrowers": [{"borrowerId": "b"}]}')
    odd_service.on(where, refusal(400, "no pageSize"), whole)
    (row,) = records(desk.get("/apps/kenya/borrowers/export.csv?technical=1"))
    assert row["borrowerId"] == "b"
