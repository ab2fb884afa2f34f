"""A payment in the hour in which clocks go back can be entered, and is sent as it was chosen."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.repayments.pages import filled, press
from tests.repayments.service import LoanService

TWICE = "2025-10-26T02:30"
BOTH = "02:30 summer time (UTC+2) or 02:30 winter time (UTC+1)"


@pytest.mark.django_db(transaction=True)
def test_a_repayment_in_that_hour_is_sent_as_it_was_chosen(
    service: LoanService, client_of: ClientOf, support: User, settings: Any
) -> None:
    settings.LENDING_APPS = (LendingApp("kenya", "EUR", ZoneInfo("Europe/Berlin")),)
    desk, new = client_of(support), "/apps/kenya/loans/L-1/repayments/new"
    entered = filled(desk.get(new), amount="5", externalId="TX-1", transactionDate=TWICE)
    assert BOTH in desk.post(new, entered).content.decode()
    went_on = desk.post(new, entered | {"transactionDate-offset": "+01:00"})
    confirm = went_on["Location"]
    page = desk.get(confirm)
    assert "02:30 winter time (UTC+1)" in page.content.decode()
    again = desk.get(f"{new}?form={confirm.split('/')[-2]}").content.decode()
    assert '<option value="+01:00" selected>' in again
    press(desk, confirm)
    assert service.posted[0]["transactionDate"] == "2025-10-26T01:30:00+00:00"
