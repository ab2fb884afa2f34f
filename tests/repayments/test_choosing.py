"""From a person to the form of their one open loan, and loans that are closed."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.money.repayments.views.recording import CHOOSE_LOAN, NO_OPEN_LOAN
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
    ("answer", "shown"),
    [
        ({"loans": [loan("L-1"), loan("L-2")]}, ["L-1", "L-2"]),
        ({"loans": [loan("L-1")], "nextPageToken": "t"}, ["L-1"]),
        ({"loans": [loan(None)]}, []),
        ({"loans": [loan("..")]}, []),
    ],
)
def test_else_the_loans_are_shown_to_choose_from_without_scripts(
    desk: Client, service: LoanService, answer: dict[str, Any], shown: list[str]
) -> None:
    service.server.on(LIST, reply(answer))
    moved = desk.get(f"{BORROWER}repayments/new", follow=True)
    address = moved.redirect_chain[-1][0]
    assert address == f"{BORROWER}panels/loans#panel-loans"
    assert [str(one) for one in moved.context["messages"]] == [CHOOSE_LOAN]
    page = moved.content.decode()
    links = re.findall(r'<a class="stretch[^>]*href="/apps/kenya/loans/([^/"]+)/"', page)
    assert links == shown
    for one in shown:
        loan_page = desk.get(f"/apps/kenya/loans/{one}/").content.decode()
        assert "data-record" in loan_page


@pytest.mark.parametrize("loans", [[], [loan("L-1", 3)]])
def test_without_an_open_loan_there_is_nothing_to_choose(
    desk: Client, service: LoanService, loans: list[object]
) -> None:
    service.server.on(LIST, reply({"loans": loans}))
    moved = desk.get(f"{BORROWER}repayments/new", follow=True)
    assert moved.redirect_chain == [(BORROWER, 302)]
    assert [str(one) for one in moved.context["messages"]] == [NO_OPEN_LOAN]


def test_a_service_that_does_not_answer_is_a_card(desk: Client, service: LoanService) -> None:
    service.server.on(LIST, reset())
    page = desk.get(f"{BORROWER}repayments/new")
    assert page.status_code == 502 and "The service" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": 2}, ""),
        ({"status": 3}, "The status of this loan is “closed”."),
        ({"status": 1}, "The status of this loan is “pending”."),
        ({"status": "3"}, "The status of this loan is “closed”."),
        # Its word decides, where there is one.
        ({"status": 2, **ENDED}, ""),
        ({"status": 77, **ENDED}, "This loan has a settlement date and a result."),
        (ENDED, "This loan has a settlement date and a result."),
        ({"status": 77, "settlementDate": ENDED["settlementDate"]}, ""),
        ({"status": 77, "result": ENDED["result"]}, ""),
        ({}, ""),
    ],
)
def test_which_loans_are_closed(fields: dict[str, Any], words: str) -> None:
    assert explain_closed(Loan(fields)) == words


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
    assert menu and "is “closed”. The service will probably refuse" in menu[0]
    after = re.search(link, menu[0])
    assert after and not after[1] and page.count("data-record ") == 1
    # The form, and what is reviewed, say it too, and let the service decide.
    form = desk.get(f"{address}repayments/new")
    assert "accepts repayments only for open loans" in form.content.decode()
    assert '<button class="main" type="submit" >Review' in form.content.decode()


def test_only_those_who_record_are_offered_it(
    desk: Client, service: LoanService, client_of: ClientOf, viewer: User
) -> None:
    page = desk.get("/apps/kenya/loans/L-1/").content.decode()
    assert "data-record " in page and "<kbd>p</kbd></dt>\n      <dd>Record" in page
    page = client_of(viewer).get("/apps/kenya/loans/L-1/").content.decode()
    assert "data-record" not in page and "<dd>Record a repayment" not in page
