"""Nobody sends again what was given up, without having agreed that it may double."""

from collections.abc import Callable

import pytest

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.faults.behaviours import reset
from tests.repayments.service import LoanService, without_committing

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


@pytest.fixture
def abandoned(service: LoanService, support: User, asked: Asked) -> Repayment:
    """The request with id TX was lost, and nothing of it was found."""
    service.answer = without_committing(reset())
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    repayment.refresh_from_db()
    return repayment


@pytest.mark.parametrize("by", ["evidence", "a person"])
def test_what_was_given_up_may_double(
    service: LoanService, manager: User, asked: Asked, abandoned: Repayment, by: str
) -> None:
    if by == "a person":
        services.resolve(abandoned, Resolution.NOT_RECORDED, "the operator found nothing", manager)
    with pytest.raises(services.MayDouble):
        sending.record(asked(external_id=" TX "), manager, "form-2", agreed=False)
    assert Repayment.objects.count() == 1
    assert service.asked == 1
    again = sending.record(asked(external_id="TX"), manager, "form-2", agreed=True)
    assert again.state == RepaymentState.RECORDED


def test_nothing_to_agree_to_where_the_service_said_no(
    service: LoanService, manager: User, asked: Asked, abandoned: Repayment
) -> None:
    Repayment.objects.update(state=RepaymentState.REFUSED)
    again = sending.record(asked(external_id="TX"), manager, "form-2", agreed=False)
    assert again.state == RepaymentState.RECORDED
