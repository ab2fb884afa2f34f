"""Who enters again what was given up is warned that it may double, by whichever way it was."""

from collections.abc import Callable

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.faults.behaviours import reset
from tests.proof.desk import InProcess, fill_in, form_url, open_confirm, press
from tests.repayments.service import LoanService, without_committing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def abandoned(service: LoanService, support: User, asked: Callable[..., Request]) -> Repayment:
    """The request with id TX was lost, and nothing of it was found."""
    service.answer = without_committing(reset())
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    repayment.refresh_from_db()
    return repayment


def test_after_a_person_settled_it_as_not_recorded_too(
    service: LoanService,
    abandoned: Repayment,
    manager: User,
    client_of: Callable[[User], Client],
) -> None:
    services.resolve(abandoned, Resolution.NOT_RECORDED, "the operator found nothing", manager)
    desk = InProcess(client_of(manager))
    url = fill_in(desk, form_url("kenya", "L-1"), "TX", "500.00")
    confirm = open_confirm(desk, url or "")
    assert confirm is not None and confirm.warns
    assert press(desk, confirm).status == 200
    assert service.asked == 1
    assert press(desk, confirm, agree=True).receipt
    assert service.asked == 2


def test_when_it_was_given_up_while_the_button_was_pressed(
    service: LoanService,
    abandoned: Repayment,
    manager: User,
    client_of: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = InProcess(client_of(manager))
    url = fill_in(desk, form_url("kenya", "L-1"), "TX", "500.00")
    Repayment.objects.update(state=RepaymentState.REFUSED)
    confirm = open_confirm(desk, url or "")
    assert confirm is not None and not confirm.warns
    intend = services.create_intent

    def late(*args: object, **more: object) -> object:
        Repayment.objects.filter(pk=abandoned.pk).update(state=RepaymentState.NOT_FOUND)
        return intend(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(services, "create_intent", late)
    page = press(desk, confirm)
    assert page.status == 200
    assert 'data-obstacle="may_double"' in page.text and 'name="may_double"' in page.text
    assert service.asked == 1
