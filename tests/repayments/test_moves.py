"""A row moves only from where it may, and of many who move it at once one does."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import BadRequest, Saved
from lendingadmin.lending.parallel import Written
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import REACHED_FROM, RepaymentState, Resolution
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


@pytest.fixture
def repayment(support: User, asked: Asked) -> Repayment:
    return services.create_intent(asked(), support, "form-1")[0]


def test_a_row_moves_only_from_where_it_may(repayment: Repayment, support: User) -> None:
    for here in RepaymentState:
        for to in REACHED_FROM:
            Repayment.objects.update(state=here)
            moved = services.move(repayment, to, by=support)
            assert moved == (here in REACHED_FROM[to]), f"{here} to {to}"
            assert repayment.state == (to if moved else here)


def test_of_twenty_who_settle_at_once_one_does(repayment: Repayment, manager: User) -> None:
    Repayment.objects.update(state=RepaymentState.UNKNOWN)
    before = Entry.objects.count()

    def settle(number: int) -> bool:
        mine = Repayment.objects.get(pk=repayment.pk)
        return services.resolve(mine, Resolution.RECORDED, f"reason {number}", manager)

    assert sorted(at_once(20, settle)) == [False] * 19 + [True]
    assert Entry.objects.count() == before + 1


def test_who_was_paused_until_it_expired_does_not_send(repayment: Repayment, support: User) -> None:
    paused = Repayment.objects.get(pk=repayment.pk)
    assert services.move(repayment, RepaymentState.NOT_SENT, by=None, why="expired")
    sent_at = timezone.now() - timedelta(seconds=1)
    assert not services.move(paused, RepaymentState.SENT, by=support, sent_at=sent_at)
    assert paused.state == RepaymentState.NOT_SENT and paused.sent_at is None


def refused() -> Written:
    return Written(
        BadRequest(
            "no",
            operation="loans.makeRepayment",
            status=400,
            error_description="closed",
            saved=Saved.NO,
        )
    )


def test_a_late_no_against_a_presumption_raises_an_alarm(
    repayment: Repayment, support: User
) -> None:
    Repayment.objects.update(state=RepaymentState.PRESUMED)
    sending.apply_outcomes([sending.judge(repayment, refused())], support)
    repayment.refresh_from_db()
    assert repayment.state == RepaymentState.REFUSED
    stood = {"state": RepaymentState.PRESUMED.label}
    assert repayment.alarm == services.REFUSED_LATE % stood


def test_a_late_no_against_a_person_s_word_is_kept_and_raises_an_alarm(
    repayment: Repayment, support: User
) -> None:
    Repayment.objects.update(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED)
    before = Entry.objects.count()
    sending.apply_outcomes([sending.judge(repayment, refused())], support)
    repayment.refresh_from_db()
    assert (repayment.state, repayment.error_description) == (RepaymentState.RESOLVED, "closed")
    assert repayment.alarm == services.REFUSED_LATE % {"state": RepaymentState.RESOLVED.label}
    assert Entry.objects.count() == before + 1


def test_a_late_no_that_agrees_raises_none(repayment: Repayment, support: User) -> None:
    Repayment.objects.update(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)
    sending.apply_outcomes([sending.judge(repayment, refused())], support)
    repayment.refresh_from_db()
    assert (repayment.state, repayment.alarm) == (RepaymentState.RESOLVED, "")
