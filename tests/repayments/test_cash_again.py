"""The id that is made for cash, and cash that is sent again under it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from tests.faults.behaviours import refusal
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("app_id", "day"), [("kenya", "20261126"), ("ghana", "20261125"), ("gone", "20261125")]
)
def test_the_id_of_cash_bears_the_day_of_the_lender(app_id: str, day: str) -> None:
    late = datetime(2026, 11, 25, 21, 46, tzinfo=UTC)
    assert services.make_external_id(app_id, late).startswith(f"CASH-{day}-")


@pytest.mark.parametrize(("external_id", "is_cash"), [("", True), ("TX-1", False)])
def test_what_is_sent_again_stays_what_it_was(
    service: LoanService,
    support: User,
    asked: Callable[..., Any],
    external_id: str,
    is_cash: bool,
) -> None:
    answer = service.answer
    service.answer = lambda record: refusal(400, "not today")
    first = sending.record(asked(external_id=external_id), support, "form-1")
    assert first.external_id_minted == is_cash and first.state == "refused"
    service.answer = answer
    again = asked(external_id=first.external_id, retry_of=first.pk)
    second = sending.record(again, support, "form-2")
    assert (second.external_id_minted, second.state) == (is_cash, "recorded")
    # Another id, typed in its place, is a network's.
    other = sending.record(asked(external_id="TX-9", retry_of=first.pk), support, "form-3")
    assert not other.external_id_minted and Repayment.objects.count() == 3
