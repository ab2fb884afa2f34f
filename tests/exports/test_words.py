"""An export in the words of the screen, with times of the lender's zone."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.repayments.views import exporting
from lendingadmin.records.exports.columns import COLUMNS, WORDS, head_of
from lendingadmin.web.exports import write_day, write_moment
from tests.conftest import ClientOf
from tests.exports.test_csv import table
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, press
from tests.sandbox.calling import Caller

ROLE = "support"
NAIROBI = ZoneInfo("Africa/Nairobi")


@pytest.mark.django_db(transaction=True)
def test_loans_have_words_days_and_statuses(desk: Client, app: LendingApp, book: Caller) -> None:
    head, row = table(desk.get(f"/apps/{app.app_id}/loans/export.csv"))
    shown = [column for column in head_of("loans.list") if column.label]
    assert head == [column.write_head(app.currency) for column in shown]
    # An amount has its currency, and nothing else has one.
    amounts = [column.name for column in shown if app.currency in column.write_head(app.currency)]
    assert amounts == [
        one
        for one in (column.name for column in shown)
        if one.startswith(("loanAmount", "balances"))
    ]
    cells = dict(zip([column.name for column in shown], row, strict=True))
    loan = book.get("/loans/l").body
    assert (cells["accountId"], cells["loanAmount"]) == ("l", "1200.00")
    assert cells["startDate"] == str(write_day(loan["startDate"], app.zone))
    assert cells["createdAt"] == str(write_moment(loan["createdAt"], app.zone)) != loan["createdAt"]
    assert not cells["status"].isdigit()


@pytest.mark.django_db(transaction=True)
def test_the_journal_has_labels_and_the_lender_s_time(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    press(desk, enter(desk, app, amount="100.50"))
    head, row = table(desk.get(f"/apps/{app.app_id}/repayments/export.csv"))
    shown = [column for column in exporting.COLUMNS if column.label]
    assert head == [str(column.label) for column in shown]
    cells = dict(zip([column.name for column in shown], row, strict=True))
    made = Repayment.objects.get()
    assert cells["state"] == RepaymentState.RECORDED.label
    assert cells["createdAt"] == f"{made.created_at.astimezone(app.zone):%Y-%m-%d %H:%M:%S}"
    assert cells["mistakeReviewedAs"] == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["borrowers", "loans", "assessments", "events"])
def test_the_technical_one_is_offered_to_those_who_see_calls(
    client_of: ClientOf,
    support: User,
    manager: User,
    app: LendingApp,
    book: Caller,
    name: str,
) -> None:
    address = f"/apps/{app.app_id}/{name}/"
    mark = f'href="{address}export.csv?technical=1"'
    assert mark in client_of(manager).get(address).content.decode()
    assert mark not in client_of(support).get(address).content.decode()


def test_every_word_is_of_a_column() -> None:
    for name, words in WORDS.items():
        assert set(words) <= {column.name for column in head_of(name)}, name
    assert set(WORDS) == set(COLUMNS)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2026-03-10T21:30:05.250Z", "2026-03-11 00:30:05"),
        (datetime(2026, 3, 10, 9, tzinfo=UTC), "2026-03-10 12:00:00"),
        ("soon", "soon"),
        (None, None),
        ("•••", "•••"),
    ],
)
def test_a_moment(value: object, written: Any) -> None:
    found = write_moment(value, NAIROBI)
    assert (found if found is None else str(found)) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2026-10-31T23:59:59.999Z", "2026-10-31"),
        ("2026-10-31T22:00:00Z", "2026-11-01"),
        ("odd", "odd"),
        (None, None),
    ],
)
def test_a_day(value: object, written: Any) -> None:
    found = write_day(value, NAIROBI)
    assert (found if found is None else str(found)) == written


@pytest.mark.django_db
def test_rates_are_in_per_cent_with_their_period(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    interest = {"termPeriod": "30 days", "baseRate": Decimal("0.0245"), "riskPremiumRate": "odd"}
    product = {"productId": "P-1", "terms": {"period": "90 days", "interest": interest}}
    body = simplejson.dumps({"products": [product]}, use_decimal=True)
    fault_server.on("/products", reply(body.encode()))
    head, row = table(desk.get("/products/export.csv"))
    shown = [column for column in head_of("products.list") if column.label]
    cells = dict(zip([column.name for column in shown], row, strict=True))
    names = dict(zip([column.name for column in shown], head, strict=True))
    assert Decimal(cells["terms.interest.baseRate"]) == Decimal("2.45")
    assert "%" in names["terms.interest.baseRate"] and "%" not in names["terms.period"]
    assert cells["terms.interest.termPeriod"] == "30 days"
    assert cells["terms.interest.riskPremiumRate"] == "odd"
    head, row = table(desk.get("/products/export.csv?technical=1"))
    assert dict(zip(head, row, strict=True))["terms.interest.baseRate"] == "0.0245"
