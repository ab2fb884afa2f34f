"""Look-alikes: what may be the same payment, for a person to see before confirming."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import lookalikes, sending
from lendingadmin.money.repayments.services import Request
from tests.faults.behaviours import reset
from tests.repayments.service import LoanService, without_committing

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


def test_look_alikes(service: LoanService, support: User, asked: Asked) -> None:
    now = timezone.now()
    sending.record(asked(external_id="A", transaction_date=now), support, "form-1")

    def alike(**fields: object) -> bool:
        usual = {"external_id": "other", "amount": Decimal("9"), "account_id": "L-9"}
        wanted = asked(**(usual | {"borrower_id": "B-9", "transaction_date": now} | fields))
        return bool(lookalikes.look_alikes(wanted, "this"))

    assert not alike()
    assert alike(external_id="A")
    assert alike(external_id=" A ")
    # What another app of the project recorded says nothing here, and may not be seen by everyone.
    assert not alike(external_id="A", app_id="ghana")
    assert alike(account_id="L-1", amount=Decimal("490"))
    assert alike(borrower_id="B-1", amount=Decimal("510"))
    assert not alike(account_id="L-1", amount=Decimal("400"))
    assert not alike(
        account_id="L-1", amount=Decimal(500), transaction_date=now - timedelta(days=9)
    )
    assert not alike(account_id="L-1", amount=Decimal(500), app_id="ghana")


def test_a_colleague_s_unfinished_one_is_a_look_alike_whatever_its_amount(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    lost = sending.record(asked(external_id="TX"), support, "form-1")
    (found,) = lookalikes.look_alikes(asked(amount=Decimal(1)), "this")
    assert found == lost
