"""From a person to the form of their one open loan, and loans that are closed."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.estimate import explain_closed
from tests.conftest import ClientOf
from tests.faults.behaviours import reply, reset
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "GET /v1/projects/demo/apps/kenya/loans?"
BORROWER = "/apps/kenya/borrowers/B-1/"
ENDED = {"settlementDate": "2026-01-31T10:00:00Z", "result": {"type": "repaid"}}


def loan(account_id: object, status: object = 2, **fields: object) -> dict[str, Any]:
    return {"accountId": account_id, "borrowerId": "B-1", "status": status} | fields


@pytest.mark.parametrize(
    "loans",
    [
        [loan("L-1")],
        [loan("L-1"), loan("L-2", 3), loan("L-3", 1)],
        [loan("L-1", 77), loan("L-2", 77, **ENDED)],
        # A service that does not filter.
        [loan("L-1"), loan("L-9", borrowerId="B-2"), loan("L-8", borrowerId=None), "odd", None],
    ],
)
def test_the_one_open_loan_is_gone_to(
    desk: Client, service: LoanService, loans: list[object]
) -> None:
    service.server.on(LIST, reply({"loans": loans}))
    answer = desk.get(f"{BORROWER}repayments/new")
    assert answer.headers["Location"] == "/apps/kenya/loans/L-1/repayments/new"
    assert desk.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        ({"loans": []}, "no-open-loan"),
        ({"loans": [loan("L-1", 3)]}, "no-open-loan"),
        ({"loans": [loan("L-1"), loan("L-2")]}, "choose-loan"),
        ({"loans": [loan("L-1")], "nextPageToken": "t"}, "choose-loan"),
        ({"loans": [loan(None)]}, "choose-loan"),
        ({"loans": [loan("..")]}, "choose-loan"),
    ],
)
def test_else_the_loan_is_chosen_on_the_borrower_s_page(
    desk: Client, service: LoanService, answer: dict[str, Any], finding: str
) -> None:
    service.server.on(LIST, reply(answer))
    moved = desk.get(f"{BORROWER}repayments/new")
    assert moved.headers["Location"] == f"{BORROWER}#panel-loans"
    assert f'data-finding="{finding}"' in desk.get(BORROWER).content.decode()


def test_a_service_that_does_not_answer_is_a_card(desk: Client, service: LoanService) -> None:
    service.server.on(LIST, reset())
    page = desk.get(f"{BORROWER}repayments/new")
    assert page.status_code == 502 and "data-announce=" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "is_closed", "status"),
    [
        ({"status": 2}, False, []),
        ({"status": 3}, True, ["closed"]),
        ({"status": 1}, True, ["pending"]),
        ({"status": "3"}, True, ["closed"]),
        # Its word decides, where there is one.
        ({"status": 2, **ENDED}, False, []),
        ({"status": 77, **ENDED}, True, []),
        (ENDED, True, []),
        ({"status": 77, "settlementDate": ENDED["settlementDate"]}, False, []),
        ({"status": 77, "result": ENDED["result"]}, False, []),
        ({}, False, []),
    ],
)
def test_which_loans_are_closed(fields: dict[str, Any], is_closed: bool, status: list[str]) -> None:
    words = explain_closed(Loan(fields))
    assert bool(words) == is_closed and re.findall("“(.*?)”", words) == status


def test_a_closed_loan_s_page_records_under_more_with_a_warning(
    desk: Client, service: LoanService
) -> None:
    address = "/apps/kenya/loans/L-1/"
    link = r'<a (class="button main" )?data-record href="/apps/kenya/loans/L-1/repayments/new"'
    before = re.search(link, desk.get(address).content.decode())
    assert before and before[1]
    closed = reply(simplejson.dumps(service.loan | {"status": 3}).encode())
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", closed)
    page = desk.get(address).content.decode()
    menu = re.search(
        r'(?s)<details class="menu">\s*<summary class="button">More.*?</details>', page
    )
    assert menu and explain_closed(Loan({"status": 3})) in menu[0]
    after = re.search(link, menu[0])
    assert after and not after[1] and page.count("data-record ") == 1
    # The form, and what is reviewed, say it too, and let the service decide.
    form = desk.get(f"{address}repayments/new")
    assert 'data-finding="closed"' in form.content.decode()
    assert '<button class="main" type="submit" >' in form.content.decode()


def test_only_those_who_record_are_offered_it(
    desk: Client, service: LoanService, client_of: ClientOf, viewer: User
) -> None:
    page = desk.get("/apps/kenya/loans/L-1/").content.decode()
    assert "data-record " in page and "<dt data-records><kbd>p</kbd></dt>" in page
    page = client_of(viewer).get("/apps/kenya/loans/L-1/").content.decode()
    assert "data-record" not in page
