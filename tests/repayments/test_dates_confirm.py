"""The confirm step points out dates that may be mistyped, and still offers to record."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from tests.repayments.pages import enter
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def confirm_page(desk: Client, app: LendingApp, **days: int) -> str:
    """The confirm step of a repayment whose dates lie so many days from now."""
    now = timezone.now().astimezone(app.zone)
    moments = {name: f"{now + timedelta(days=at):%Y-%m-%dT%H:%M}" for name, at in days.items()}
    page = desk.get(enter(desk, app, **moments)).content.decode()
    assert 'name="shown"' in page
    return page


def test_dates_years_away(desk: Client, app: LendingApp, book: Caller) -> None:
    page = confirm_page(desk, app, transactionDate=-7 * 365 - 10, valueDate=3 * 365 + 10)
    assert "The transaction date is 7 years ago: check the year." in page
    assert "The value date is 3 years from now: check the year." in page


def test_a_value_date_before_the_transaction_date(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    page = confirm_page(desk, app, transactionDate=-1, valueDate=-2)
    assert "The value date lies before the transaction date" in page


def test_usual_dates_bring_no_notice(desk: Client, app: LendingApp, book: Caller) -> None:
    page = confirm_page(desk, app, transactionDate=-1, valueDate=-1)
    assert "check the year" not in page
    assert "lies before the transaction date" not in page
