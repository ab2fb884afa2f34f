"""The next instalment: loan page, form, receipt and SMS name the same amount that is left of it."""

from datetime import timedelta
from decimal import Decimal

import pytest
import simplejson
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.money.repayments.models import Repayment
from tests.faults.behaviours import reply
from tests.faults.server import Wire
from tests.repayments.pages import enter, press
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/apps/kenya/loans/L-1/"


@pytest.fixture(params=[True, False], ids=["of the service", "of the contract"])
def part_paid(request: pytest.FixtureRequest, service: LoanService) -> LoanService:
    """1,000 of a first instalment of 1,500 are paid; the service may name the next one."""
    now = timezone.now()
    dues = [(now + timedelta(days=10), Decimal(1500)), (now + timedelta(days=40), Decimal(8500))]
    installments = [
        {"sequenceNo": number, "dueDate": due.isoformat(), "amounts": {"repayment": amount}}
        for number, (due, amount) in enumerate(dues, start=1)
    ]

    def answer(wire: Wire) -> bool:
        left = {"repayment": Decimal(1500) - service.paid}
        coming = installments[0] | {"amounts": left} if request.param else None
        more = {"contract": {"installments": installments}, "schedule": {"nextInstallment": coming}}
        return reply(simplejson.dumps(service.loan | more, use_decimal=True).encode())(wire)

    service.loan_answer = answer
    return service


def test_it_is_the_same_amount_everywhere(desk: Client, part_paid: LoanService) -> None:
    assert desk.get(PAGE).context["facts"].next_amount == 500
    form = desk.get(f"{PAGE}repayments/new")
    assert form.context["facts"].next_amount == 500
    shown = form.content.decode().partition("data-next>")[2].partition("</dd>")[0]
    assert "500.00" in shown and "1,500" not in shown
    review = enter(desk, lending_app("kenya"), loan="L-1", amount="200")
    assert desk.get(review).context["estimate"].next_amount == 300
    receipt = press(desk, review, follow=True)
    assert Repayment.objects.get().state == "recorded"
    assert receipt.context["remainder"].next_amount == 300
    assert "300.00" in receipt.context["sms"]
    assert desk.get(PAGE).context["facts"].next_amount == 300
