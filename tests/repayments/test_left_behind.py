"""What a sender that died leaves behind is taken up by whoever comes next."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import reconciliation, sending
from lendingadmin.money.repayments.evidence import Effect
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.unconfirmed import CHECK_FOR
from tests.faults.behaviours import refusal, reply, reset
from tests.repayments.service import LoanService, without_committing

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


class Died(BaseException):
    """The process ended here."""


@pytest.fixture
def acknowledged(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> Repayment:
    """The service said yes and recorded nothing; the sender died before it read the effect."""
    service.answer = without_committing(reply({"accountId": "L-1"}))

    def die(*_: Any) -> None:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(sending, "see_effects", die)
        with pytest.raises(Died):
            sending.record(asked(), support, "form-1")
    return Repayment.objects.get()


def test_the_receipt_reads_the_effect_that_the_sender_could_not(
    acknowledged: Repayment, client_of: Callable[[User], Client], support: User
) -> None:
    assert acknowledged.state == RepaymentState.RECORDED
    page = client_of(support).get(acknowledged.get_absolute_url()).content.decode()
    assert 'data-finding="effect-not-seen"' in page
    assert f'action="{acknowledged.get_absolute_url()}check"' in page
    acknowledged.refresh_from_db()
    assert acknowledged.next_check_at is None


def test_so_does_the_reconciler(acknowledged: Repayment) -> None:
    call_command("reconcile")
    left = Repayment.objects.get()
    assert left.effect_of(left.baseline, left.latest) == Effect.NOT_YET


def test_an_effect_that_could_not_be_read_is_read_later(
    service: LoanService, acknowledged: Repayment
) -> None:
    usual = service._get
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(500))
    call_command("reconcile")
    assert Repayment.objects.get().next_check_at is not None
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", usual)
    Repayment.objects.update(next_check_at=acknowledged.state_at)
    call_command("reconcile")
    repayment = Repayment.objects.get()
    assert repayment.effect_of(repayment.baseline, repayment.latest) == Effect.NOT_YET
    assert repayment.next_check_at is None


def test_whoever_dies_at_the_last_look_leaves_it_to_be_taken_again(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = without_committing(reset())
    lost = sending.record(asked(), support, "form")
    long_ago = timezone.now() - CHECK_FOR - timedelta(hours=1)
    Repayment.objects.filter(pk=lost.pk).update(sent_at=long_ago, next_check_at=timezone.now())
    lost.refresh_from_db()

    def dies(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr(sending, "save_reading", dies)
        reconciliation.check_if_due(lost)
    lost.refresh_from_db()
    assert lost.next_check_at is not None

    Repayment.objects.filter(pk=lost.pk).update(next_check_at=timezone.now())
    lost.refresh_from_db()
    reconciliation.check_if_due(lost)
    assert lost.next_check_at is None
