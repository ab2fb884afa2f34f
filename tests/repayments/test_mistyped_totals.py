"""Evidence is what the service says is paid: a total that can't be read is no evidence."""

from collections.abc import Callable

import pytest

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Reading
from lendingadmin.money.repayments.services import Request
from tests.faults.behaviours import reply
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_mistyped_paid_is_unreadable_and_no_sum_of_its_parts(
    service: LoanService, support: User, asked: Callable[..., Request]
) -> None:
    part = {"paid": 250, "unpaid": 2250}
    parts = dict.fromkeys(("principal", "interest", "fees", "penalty"), part)
    balances = parts | {"repayment": {"paid": "1000.00", "unpaid": 9000}}
    answer = reply({"accountId": "L-1", "balances": balances})
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", answer)
    repayment, _ = services.create_intent(asked(), support, "form")
    reading = sending.save_reading(repayment, Reading.Kind.BASELINE)
    assert (reading.paid, reading.unpaid, reading.fault) == ("", "9000", "")
