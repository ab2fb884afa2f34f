"""The confirm step points out dates that may be mistyped, and still offers to record."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from tests.repayments.pages import enter
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def find_notices(desk: Client, app: LendingApp, **days: int) -> dict[str, str]:
    """What the confirm step says of a repayment whose dates lie so many days from now."""
    now = timezone.now().astimezone(app.zone)
    moments = {name: f"{now + timedelta(days=at):%Y-%m-%dT%H:%M}" for name, at in days.items()}
    page = desk.get(enter(desk, app, **moments)).text
    assert 'name="shown"' in page
    return dict(re.findall(r'<p data-finding="([a-z-]+)">([^<]*)</p>', page))


def test_dates_years_away(desk: Client, app: LendingApp, book: Caller) -> None:
    found = find_notices(desk, app, transactionDate=-7 * 365 - 10, valueDate=3 * 365 + 10)
    assert re.findall(r"\d+", found["transaction-date-far"]) == ["7"]
    assert re.findall(r"\d+", found["value-date-far"]) == ["3"]


def test_a_value_date_before_the_transaction_date(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    assert set(find_notices(desk, app, transactionDate=-1, valueDate=-2)) == {"value-date-before"}


def test_usual_dates_bring_no_notice(desk: Client, app: LendingApp, book: Caller) -> None:
    assert find_notices(desk, app, transactionDate=-1, valueDate=-1) == {}
