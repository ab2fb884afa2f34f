"""Above a limit who records a repayment says first who they are."""

from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from tests.conftest import confirm
from tests.policies.setting import set_limits
from tests.repayments.pages import filled, hidden
from tests.repayments.service import LoanService
from tests.staff.test_confirming import grow_old

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "/apps/kenya/loans/L-1/repayments/new"
CONFIRM = "/accounts/reauthenticate/"


@pytest.fixture(autouse=True)
def limit() -> None:
    set_limits(confirm_above="400")


def review(desk: Client, amount: str) -> str:
    """The address of the review of a repayment of this amount, long after the sign-in."""
    grow_old(desk)
    answer = desk.post(NEW, filled(desk.get(NEW), amount=amount))
    return str(answer.headers["Location"])


def test_above_it_the_review_asks_and_what_was_entered_is_kept(
    service: LoanService, desk: Client, support: User
) -> None:
    address = review(desk, "400.01")
    assert desk.get(address)["Location"] == f"{CONFIRM}?next={address}"
    assert not Repayment.objects.exists()
    confirm(desk, support)
    desk.post(address, hidden(desk.get(address)))
    assert Repayment.objects.get().amount == Decimal("400.01")
    assert service.asked == 1


def test_who_waited_too_long_on_it_is_asked_again_and_nothing_is_sent(
    service: LoanService, desk: Client, support: User
) -> None:
    address = review(desk, "500")
    confirm(desk, support)
    shown = hidden(desk.get(address))
    grow_old(desk)
    answer = desk.post(address, shown, headers={"referer": f"http://testserver{address}"})
    assert answer["Location"] == f"{CONFIRM}?next={address}"
    assert not Repayment.objects.exists() and service.asked == 0


def test_up_to_it_nobody_is_asked(service: LoanService, desk: Client) -> None:
    address = review(desk, "400")
    desk.post(address, hidden(desk.get(address)))
    assert Repayment.objects.get().amount == Decimal(400)


def test_another_currency_is_compared_with_nothing_and_so_is_asked_for(
    service: LoanService, desk: Client
) -> None:
    grow_old(desk)
    answer = desk.post(NEW, filled(desk.get(NEW), amount="5", currencyCode="USD"))
    address = answer.headers["Location"]
    assert desk.get(address)["Location"] == f"{CONFIRM}?next={address}"


def test_another_app_has_its_own_limit_or_none(service: LoanService, desk: Client) -> None:
    set_limits()
    set_limits("ghana", confirm_above="1")
    address = review(desk, "500")
    assert desk.get(address).status_code == 200
