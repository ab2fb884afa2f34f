"""One form is one repayment, also where nothing else tells two apart: cash has no transaction id
of its own, and once the first is recorded its loan is free for the next."""

from collections.abc import Callable

import pytest

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from tests.repayments.service import LoanService
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


def test_cash_from_one_form_is_sent_once(service: LoanService, support: User, asked: Asked) -> None:
    cash = asked(external_id="")
    first = sending.record(cash, support, "form-1")
    again = sending.record(cash, support, "form-1")
    assert again == first
    assert len(service.posted) == 1


def test_cash_from_one_form_at_once_is_sent_once(
    service: LoanService, support: User, asked: Asked
) -> None:
    cash = asked(external_id="")
    results = at_once(20, lambda _: sending.record(cash, support, "form-1").pk)
    assert len(set(results)) == 1
    assert len(service.posted) == Repayment.objects.count() == 1
