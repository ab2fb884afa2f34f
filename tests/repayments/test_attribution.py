"""A rise of `paid` speaks for one repayment: stories of two on one loan, at a real service."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import dayend, reconciliation, sending, services
from lendingadmin.money.repayments.evidence import Effect
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.faults.behaviours import reply, reset
from tests.repayments.rows import acknowledge
from tests.repayments.service import LoanService, commit_then, without_committing

pytestmark = pytest.mark.django_db(transaction=True)
KENYA = LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi"))
Asked = Callable[..., Request]
Lose = Callable[..., Repayment]


@pytest.fixture
def lose(service: LoanService, support: User, asked: Asked) -> Lose:
    """Records 500 on the loan while the service loses the request; due to be looked at."""

    def lose(form: str, **fields: object) -> Repayment:
        service.answer = without_committing(reset())
        repayment = sending.record(asked(**fields), support, form, agreed=True)
        service.answer = service.keep_word
        return due_now(repayment)

    return lose


def due_now(repayment: Repayment, **fields: object) -> Repayment:
    Repayment.objects.filter(pk=repayment.pk).update(next_check_at=timezone.now(), **fields)
    repayment.refresh_from_db()
    return repayment


def look(repayment: Repayment) -> Repayment:
    reconciliation.check_if_due(due_now(repayment))
    return repayment


def give_up(repayment: Repayment) -> Repayment:
    services.move(repayment, RepaymentState.NOT_FOUND, by=None, why="two readings show no rise")
    return repayment


def text_of(desk: Client, repayment: Repayment) -> str:
    return " ".join(desk.get(repayment.get_absolute_url()).content.decode().split())


def test_a_rise_that_a_person_gave_to_one_speaks_for_no_other(
    service: LoanService, lose: Lose, manager: User, desk: Client
) -> None:
    first = lose("form-1")
    services.set_aside(first, "the next customer waits", manager)
    second = lose("form-2")
    service.someone_else_pays("500")  # the first arrives late
    services.resolve(first, Resolution.RECORDED, "it is on the statement", manager)
    look(second)
    assert second.state == RepaymentState.UNKNOWN
    day = timezone.localdate(timezone=KENYA.zone)
    (line,) = dayend.list_lines(KENYA, day)
    assert line.figures.landed_sum == service.paid - 1000
    page = text_of(desk, second)
    explained = page.partition('data-finding="explained"')[2].partition("</p>")[0]
    assert f'<a href="{first.get_absolute_url()}">{first}</a>' in explained


def test_what_two_may_own_is_inferred_for_neither_and_both_pages_say_so(
    service: LoanService, lose: Lose, desk: Client
) -> None:
    first = give_up(lose("form-1", external_id="TX"))
    second = lose("form-2", external_id="TX", retry_of=first.pk)
    service.someone_else_pays("500")  # whichever of them arrives late
    look(second)
    look(first)
    assert (first.state, second.state) == (RepaymentState.NOT_FOUND, RepaymentState.UNKNOWN)
    assert (first.alarm, second.alarm) == ("", "")
    for one, other in ((first, second), (second, first)):
        page = text_of(desk, one)
        contested = page.partition('data-finding="contested"')[2].partition("</p>")[0]
        assert f'href="{other.get_absolute_url()}">{other}</a>' in contested
        assert str(Effect.CONTESTED.label) in page and str(Effect.SEEN.label) not in page


def test_once_a_person_decides_the_rise_is_the_other_s(
    service: LoanService, lose: Lose, manager: User
) -> None:
    first = give_up(lose("form-1"))
    second = lose("form-2")
    service.someone_else_pays("500")
    assert look(second).state == RepaymentState.UNKNOWN
    services.resolve(first, Resolution.RECORDED, "it is on the statement", manager)
    assert look(second).state == RepaymentState.UNKNOWN
    service.someone_else_pays("500")
    assert look(second).state == RepaymentState.PRESUMED


def test_a_late_acknowledgement_takes_the_rise_from_a_presumption(
    service: LoanService, lose: Lose, support: User
) -> None:
    first = give_up(lose("form-1", amount=Decimal(200)))
    second = lose("form-2")
    service.someone_else_pays("500")
    assert look(second).state == RepaymentState.PRESUMED
    acknowledge(first, support)
    second.refresh_from_db()
    assert second.state == RepaymentState.UNKNOWN
    assert str(first) in second.alarm
    assert second.next_check_at is not None and second.set_aside_at is None


def test_what_was_inferred_is_not_contested_by_what_came_after(
    service: LoanService, lose: Lose, desk: Client
) -> None:
    first = lose("form-1")
    service.someone_else_pays("500")
    assert look(first).state == RepaymentState.PRESUMED
    second = lose("form-2", amount=Decimal(1000))
    service.someone_else_pays("500")
    assert look(second).state == RepaymentState.UNKNOWN
    assert 'data-finding="contested"' not in text_of(desk, first)


def test_a_withdrawn_presumption_is_set_aside_where_the_next_is_under_way(
    service: LoanService, lose: Lose, support: User, desk: Client
) -> None:
    first = give_up(lose("form-1", amount=Decimal(200)))
    second = lose("form-2")
    service.someone_else_pays("500")
    assert look(second).state == RepaymentState.PRESUMED
    third = lose("form-3", amount=Decimal(77))
    acknowledge(first, support)
    second.refresh_from_db()
    assert (second.state, third.state) == (RepaymentState.UNKNOWN, RepaymentState.UNKNOWN)
    assert second.set_aside_at is not None
    assert 'data-field="set-aside"' in text_of(desk, second)


def test_an_acknowledged_one_that_posts_late_speaks_for_no_other(
    service: LoanService, lose: Lose, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reply(b'{"accountId":"L-1"}'))
    assert sending.record(asked(), support, "form-1").state == RepaymentState.RECORDED
    second = lose("form-2")
    service.someone_else_pays("500")  # the first is posted now
    assert look(second).state == RepaymentState.UNKNOWN


def test_no_alarm_while_a_colleague_s_payment_is_under_way(
    service: LoanService, lose: Lose, support: User, asked: Asked
) -> None:
    """It is posted, and its answer is still on the way."""
    first = give_up(lose("form-1"))
    colleague, _ = services.create_intent(asked(amount=Decimal(900)), support, "form-2")
    services.move(colleague, RepaymentState.SENT, by=support, sent_at=timezone.now())
    service.someone_else_pays("900")
    assert look(first).alarm == ""
    acknowledge(colleague, support)
    assert look(first).alarm == ""
    service.someone_else_pays("500")
    assert look(first).alarm == reconciliation.LATE_RISE


def test_no_alarm_for_what_was_recorded_before_and_shows_after(
    service: LoanService, lose: Lose, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reply(b'{"accountId":"L-1"}'))
    sending.record(asked(), support, "form-1")
    second = give_up(lose("form-2"))
    service.someone_else_pays("500")
    assert look(second).alarm == ""


def test_amounts_of_another_currency_are_not_compared(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = commit_then(reset())
    dollars = sending.record(asked(currency_code="USD"), support, "form-1")
    assert look(dollars).state == RepaymentState.UNKNOWN


def test_the_loan_page_adds_no_amounts_of_different_currencies(
    service: LoanService, support: User, asked: Asked, desk: Client
) -> None:
    service.answer = service.keep_word
    sending.record(asked(), support, "form-1")
    sending.record(asked(currency_code="USD", amount=Decimal(20)), support, "form-2")
    page = desk.get("/apps/kenya/loans/L-1/").text
    assert 'data-finding="other-currency"' in page
    assert 'data-finding="paid-outside"' not in page


def test_a_rise_of_more_is_not_told_as_another_payment(
    service: LoanService, lose: Lose, desk: Client
) -> None:
    first = lose("form-1")
    service.someone_else_pays("1000")  # the service posted it twice
    look(first)
    page = text_of(desk, first)
    assert str(Effect.MORE.label) in page and 'data-finding="contested"' not in page


def test_the_quiet_time_concludes_nothing_from_a_rise_that_is_explained(
    service: LoanService, lose: Lose, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reply(b'{"accountId":"L-1"}'))
    sending.record(asked(), support, "form-1")
    second = lose("form-2")
    service.someone_else_pays("500")
    sent = timezone.now() - timedelta(minutes=40)
    Repayment.objects.filter(pk=second.pk).update(sent_at=sent)
    second.readings.update(taken_at=sent)
    for _ in range(3):
        look(second)
    assert second.state == RepaymentState.UNKNOWN
