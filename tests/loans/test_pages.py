"""The loans list and the loan page, against the sandbox."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.lists import NO_SUCH_PAGE
from tests.conftest import ClientOf
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.policies.setting import set_words
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ROLE = "viewer"


def test_list_and_page(desk: Client, app: LendingApp, book: Caller) -> None:
    listed = desk.get(f"/apps/{app.app_id}/loans/").content.decode()
    assert f"/apps/{app.app_id}/loans/l/" in listed
    assert "1,200.00" in listed
    page = desk.get(f"/apps/{app.app_id}/loans/l/").content.decode()
    for part in ("schedule", "balances", "contract"):
        assert f'aria-labelledby="{part}"' in page, part
    assert page.partition('<dl class="card facts">')[2].partition("</dl>")[0].count("<dt>") >= 3
    assert page.count("<tr") >= 6 + 5
    assert f"/apps/{app.app_id}/loans/l/repayments/new" not in page


def test_support_may_record(
    app: LendingApp, book: Caller, client_of: ClientOf, support: User
) -> None:
    page = client_of(support).get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert f"/apps/{app.app_id}/loans/l/repayments/new" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?borrowerId=b", True),
        ("?borrowerId=nobody", False),
        ("?accountId=l", True),
        ("?accountId=other", False),
        ("?status=2", True),
        ("?status=3", False),
        ("?performanceStatus=1", True),
        ("?loanType=none", False),
        ("?order=desc&pageSize=25", True),
    ],
)
def test_filters_reach_the_service(
    desk: Client, app: LendingApp, book: Caller, query: str, found: bool
) -> None:
    page = desk.get(f"/apps/{app.app_id}/loans/{query}").content.decode()
    assert (f"/apps/{app.app_id}/loans/l/" in page) == found
    assert found or 'data-finding="no-match"' in page


def test_pages_follow_one_another(desk: Client, app: LendingApp, book: Caller) -> None:
    for number in range(30):
        book.loan(f"more-{number}")
    first = desk.get(f"/apps/{app.app_id}/loans/?pageSize=25")
    following = first.context["list"].next_url
    second = desk.get(following)
    accounts = [
        loan.account_id for shown in (first, second) for loan in shown.context["list"].items
    ]
    assert len(accounts) == len(set(accounts)) == 31
    stale = desk.get(following.replace("pageSize=25", "pageSize=50")).content.decode()
    assert str(NO_SUCH_PAGE) in stale


def test_an_id_that_nobody_has_is_a_card(desk: Client, app: LendingApp) -> None:
    answer = desk.get(f"/apps/{app.app_id}/loans/nobody/")
    assert answer.status_code == 404
    card = answer.context["card"]
    assert card.status == 404 and f'data-announce="{card.title}"' in answer.text


def test_an_app_that_is_not_configured_does_not_exist(desk: Client, app: LendingApp) -> None:
    assert desk.get("/apps/other/loans/").status_code == 404


def test_pages_with_personal_data_are_not_stored(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    answer = desk.get(f"/apps/{app.app_id}/loans/l/")
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_total_that_cannot_be_read_is_said_and_not_worked_out(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    part = {"due": 0, "paid": 21, "total": 121, "unpaid": 100, "overdue": 0}
    groups = dict.fromkeys(("principal", "interest", "fees", "penalty"), part)
    balances = groups | {"repayment": part | {"paid": "eighty-four"}}
    fault_server.on("POST /v1/oauth2/token", token())
    fault_server.on("/loans/", reply({"accountId": "L-1", "balances": balances}))
    page = desk.get("/apps/kenya/loans/L-1/").content.decode()
    assert "totals that can't be read: paid." in html.unescape(page)
    assert "KES 84.00" not in page
    assert "eighty-four" in page


OPEN = {"accountId": "L-1", "borrowerId": "B-1", "status": 2, "performanceStatus": 1}
SETTLED = {"settlementDate": "2026-11-01T10:00:00Z"}


@pytest.mark.parametrize(
    ("loan", "shown"),
    [
        (OPEN, True),
        (OPEN | {"status": 3}, False),
        (OPEN | {"status": "written off"}, False),
        (OPEN | {"status": 77}, True),
        # The service says neither open nor closed: the settlement date decides.
        (OPEN | {"status": 77} | SETTLED, False),
    ],
)
def test_a_loan_that_is_not_open_shows_no_performance(
    desk: Client,
    client_of: ClientOf,
    support: User,
    fault_server: FaultServer,
    settings: Any,
    loan: dict[str, Any],
    shown: bool,
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    set_words(performance={"1": "in-good-health"})
    fault_server.on("POST /v1/oauth2/token", token())
    fault_server.on("/loans/L-1", reply(loan))
    fault_server.on("/loans?", reply({"loans": [loan]}))
    fault_server.on("/borrowers/B-1", reply({"borrowerId": "B-1"}))
    chip = "in-good-health</span>"
    page = desk.get("/apps/kenya/loans/L-1/").content.decode()
    assert (chip in page) == shown
    # A list shows the one status that tells loans apart; it need not be the performance.
    for address in ("loans/", "borrowers/B-1/panels/loans"):
        page = desk.get(f"/apps/kenya/{address}").content.decode()
        assert "L-1" in page and (chip in page) == (shown and loan["status"] == 2)
    answer = client_of(support).get("/apps/kenya/loans/export.csv")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert "L-1" in text and ("in-good-health" in text) == shown


@pytest.mark.parametrize("address", ["loans/L-1/", "assessments/A-1/"])
def test_a_heading_shows_no_id_that_becomes_a_name(
    client_of: ClientOf,
    officer: User,
    fault_server: FaultServer,
    settings: Any,
    put: Put,  # noqa: F811
    address: str,
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    person = {"surname": "Kamau", "othernames": "Ann"}
    fault_server.on("POST /v1/oauth2/token", token())
    fault_server.on("/loans/L-1", reply(OPEN))
    fault_server.on("/assessments/A-1", reply({"assessmentId": "A-1", "accountId": "borrower:B-1"}))
    fault_server.on("/borrowers/B-1", reply({"borrowerId": "B-1", "individual": person}))
    reader = client_of(officer)

    def read_heading() -> str:
        page = reader.get(f"/apps/kenya/{address}").content.decode()
        found = re.search(r"<h1.*?</h1>", page, re.S)
        assert found
        return found[0]

    # Without a name in the index the heading stays as it is.
    assert "hx-get" not in read_heading()
    put("B-1", **person)
    heading = read_heading()
    loads = re.search(r'hx-get="([^"]+)"', heading)
    assert loads and "Kamau" in heading and "B-1" not in re.sub(r"<[^>]*>", "", heading)
    name = reader.get(html.unescape(loads[1])).content.decode().partition("<span")[0].strip()
    assert name in heading
