"""Odd addresses, odd loans and second tabs: the form answers, and only what was shown is sent."""

import re
from decimal import Decimal
from typing import Any

import pytest
import simplejson
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply, reset
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, filled, hidden, new_url, press
from tests.repayments.service import LoanService
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_what_the_page_showed_is_recorded(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, amount="100.00")
    shown_first = hidden(desk.get(confirm))
    form = desk.get(f"{new_url(app)}?form={confirm.split('/')[-2]}")
    desk.post(new_url(app), filled(form, amount="90"))
    stopped = desk.post(confirm, shown_first)
    assert 'data-obstacle="changed"' in stopped.text
    assert Repayment.objects.count() == 0
    desk.post(confirm, hidden(stopped))
    assert Repayment.objects.get().exact_amount == Decimal(90)


def test_a_form_is_of_one_app(
    desk: Client, app: LendingApp, service: LoanService, settings: Any
) -> None:
    other = app._replace(app_id="ghana")
    settings.LENDING_APPS = (app._replace(app_id="kenya"), other)
    service.server.on("GET /v1/projects/demo/apps/ghana/loans/", reply(dict(accountId="L-1")))
    url = "/apps/kenya/loans/L-1/repayments/new"
    confirm = desk.post(url, filled(desk.get(url))).headers["Location"]
    assert desk.get(confirm).status_code == 200
    assert desk.get(confirm.replace("kenya", "ghana")).status_code == 302


@pytest.mark.parametrize("odd", [None, "", 12345, {}, "\x00", "..", "x" * 300])
def test_a_loan_that_does_not_say_which_it_is_takes_no_repayment(
    desk: Client, service: LoanService, odd: object
) -> None:
    url = "/apps/kenya/loans/L-1/repayments/new"
    form = filled(desk.get(url), notes="kept")
    service.account_id = odd
    answer = desk.post(url, form)
    page = answer.content.decode()
    assert f'data-announce="{answer.context["card"].title}"' in page
    assert "kept" in page
    assert Draft.objects.count() == 0
    refused = desk.get(url)
    assert refused.status_code == 502 and 'name="amount"' not in refused.content.decode()


@pytest.mark.parametrize(
    "odd", [None, 12345, "\x00", pytest.param("b" * 300, id="longer than its column")]
)
def test_a_borrower_s_odd_id_hinders_no_repayment(
    desk: Client, service: LoanService, odd: object
) -> None:
    loan = service.loan | {"borrowerId": odd}
    service.server.on(
        "GET /v1/projects/demo/apps/kenya/loans/", reply(simplejson.dumps(loan).encode())
    )
    url = "/apps/kenya/loans/L-1/repayments/new"
    confirm = desk.post(url, filled(desk.get(url))).headers["Location"]
    desk.post(confirm, hidden(desk.get(confirm)))
    assert Repayment.objects.get().borrower_id == ""


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("repayments/99999999999999999999/", 404),
        ("loans/l/repayments/new?retry_of=99999999999999999999", 404),
        pytest.param("loans/l/repayments/new?retry_of=" + "9" * 5000, 404, id="endless number"),
        ("loans/l/repayments/new?retry_of=%C2%B2", 404),
        ("loans/l/repayments/new?form=%00", 200),
        ("loans/_00/repayments/new", 404),
        ("repayments/?until=9999-12-31", 200),
        ("repayments/?since=0001-01-01", 200),
        ("repayments/?record=%00", 200),
    ],
)
def test_an_odd_address_is_answered(
    desk: Client, app: LendingApp, book: Caller, rest: str, status: int
) -> None:
    assert desk.get(f"/apps/{app.app_id}/{rest}").status_code == status


def test_a_form_that_was_used_says_that_nothing_new_was_recorded(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    offered = filled(desk.get(new_url(app)))
    confirm = desk.post(new_url(app), offered).headers["Location"]
    receipt = press(desk, confirm).headers["Location"]
    again = desk.post(new_url(app), offered | {"amount": "77"}, follow=True)
    assert again.redirect_chain == [(receipt, 302)]
    assert 'data-finding="form-used"' in again.text
    assert (Repayment.objects.count(), Draft.objects.count()) == (1, 0)


def test_a_form_under_an_id_that_cannot_be_is_not_found(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    url = f"/apps/{app.app_id}/loans/_00/repayments/new"
    assert desk.post(url, filled(desk.get(new_url(app)))).status_code == 404


def test_an_endless_number_of_look_alikes_seen_is_none(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    assert press(desk, enter(desk, app), seen="9" * 5000).status_code == 302
    stopped = press(desk, enter(desk, app, externalId="other"), seen="9" * 5000)
    assert 'data-obstacle="look_alike"' in stopped.text


def test_a_used_form_s_address_leads_colleagues_to_its_receipt(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    confirm = enter(desk, app)
    receipt = press(desk, confirm).headers["Location"]
    assert client_of(manager).get(confirm).headers["Location"] == receipt


def test_amounts_of_others_bear_their_own_currency(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    press(desk, enter(desk, app, currencyCode="USD"))
    Repayment.objects.update(alarm="look", alarm_at=timezone.now())
    confirm = enter(desk, app)
    page = desk.get(confirm)
    assert re.search(r"rp-\d+</a>: USD\s100.00 on l", page.content.decode())
    stopped = desk.post(confirm, hidden(page)).content.decode()
    assert re.search(r"by support, USD\s100.00", stopped)
    home = desk.get(f"/apps/{app.app_id}/").text
    assert re.search(r"USD\s100.00", home.partition("<li data-alarm>")[2].partition("</li>")[0])


def test_an_estimate_says_that_it_converts_nothing(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    mark = 'data-finding="not-converted"'
    assert mark in desk.get(enter(desk, app, currencyCode="USD")).content.decode()
    assert mark not in desk.get(enter(desk, app)).content.decode()


def test_a_transaction_id_without_trace_takes_a_plain_yes_however_it_is_entered(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.once("makeRepayment", reset())
    press(desk, confirm)
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    confirm = enter(desk, app)
    page = desk.get(confirm)
    assert 'data-finding="may-double"' in page.content.decode()
    assert 'data-obstacle="may_double"' in desk.post(confirm, hidden(page)).text
    assert Repayment.objects.count() == 1


def test_a_repayment_is_sent_again_on_its_own_loan_only(
    desk: Client, app: LendingApp, proxy: FaultServer, book: Caller
) -> None:
    confirm = enter(desk, app)
    proxy.once("makeRepayment", refusal(422, "no"))
    press(desk, confirm)
    book.loan(accountId="l2")
    again = f"?retry_of={Repayment.objects.get().pk}"
    assert desk.get(new_url(app) + again).status_code == 200
    assert desk.get(new_url(app, "l2") + again).status_code == 404


def test_home_asks_for_each_person_once(desk: Client, app: LendingApp, book: Caller) -> None:
    for amount in ("10", "20", "40"):
        press(desk, enter(desk, app, amount=amount, externalId=""))
    assert Repayment.objects.count() == 3
    with CaptureQueriesContext(connection) as queries:
        desk.get(f"/apps/{app.app_id}/")
    people = [query for query in queries if 'FROM "staff_user"' in query["sql"]]
    assert len(people) == 1
