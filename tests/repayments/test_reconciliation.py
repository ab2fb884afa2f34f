"""Looking for evidence of what is unknown, and what people decide about it."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import WrongRecord
from lendingadmin.money.repayments import reconciliation, sending, services
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.faults.behaviours import refusal, reset
from tests.repayments.service import LoanService, commit_then, without_committing
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


@pytest.fixture
def lost(service: LoanService, support: User, asked: Asked) -> Repayment:
    """A repayment whose request was lost: unknown here, nothing at the service."""
    service.answer = without_committing(reset())
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    return due_now(repayment)


@pytest.fixture
def landed(service: LoanService, support: User, asked: Asked) -> Repayment:
    """A repayment whose answer was lost: unknown here, recorded at the service."""
    service.answer = commit_then(reset())
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    return due_now(repayment)


def due_now(repayment: Repayment, **ago: float) -> Repayment:
    """Let the next look be due, and the sending have been so long ago."""
    now = timezone.now()
    fields = {"next_check_at": now} | ({"sent_at": now - timedelta(**ago)} if ago else {})
    Repayment.objects.filter(pk=repayment.pk).update(**fields)
    repayment.refresh_from_db()
    return repayment


def test_a_rise_by_exactly_the_amount_is_inferred(landed: Repayment) -> None:
    reconciliation.check_if_due(landed)
    assert landed.state == RepaymentState.PRESUMED
    assert landed.why


def test_a_rise_by_another_amount_concludes_nothing(service: LoanService, lost: Repayment) -> None:
    service.someone_else_pays("499.99")
    reconciliation.check_if_due(due_now(lost, minutes=20))
    reconciliation.check_if_due(due_now(lost, minutes=21))
    assert lost.state == RepaymentState.UNKNOWN


def test_no_trace_takes_the_quiet_time_and_two_fresh_looks(
    service: LoanService, lost: Repayment
) -> None:
    reconciliation.check_if_due(lost)
    reconciliation.check_if_due(due_now(lost))
    assert lost.state == RepaymentState.UNKNOWN
    lost.readings.update(taken_at=timezone.now() - timedelta(minutes=19))
    reconciliation.check_if_due(due_now(lost, minutes=20))
    assert lost.state == RepaymentState.UNKNOWN
    reconciliation.check_if_due(due_now(lost))
    assert lost.state == RepaymentState.NOT_FOUND
    assert lost.readings.filter(kind="check").count() == 4


def test_a_look_that_fails_is_kept_and_concludes_nothing(
    service: LoanService, lost: Repayment
) -> None:
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(404))
    reconciliation.check_if_due(due_now(lost, minutes=20))
    reconciliation.check_if_due(due_now(lost, minutes=20))
    assert lost.state == RepaymentState.UNKNOWN
    assert lost.latest is not None and lost.latest.fault


def test_another_loan_s_balances_are_no_evidence(service: LoanService, lost: Repayment) -> None:
    service.account_id = "L-2"
    service.someone_else_pays("500")
    reconciliation.check_if_due(lost)
    assert lost.state == RepaymentState.UNKNOWN
    assert lost.latest is not None and lost.latest.fault == WrongRecord.default_message


def test_twenty_people_at_one_page_cost_one_look(service: LoanService, lost: Repayment) -> None:
    before = service.server.hits("GET /v1/projects/demo/apps/kenya/loans/")
    at_once(20, lambda _: reconciliation.check_if_due(Repayment.objects.get(pk=lost.pk)))
    assert service.server.hits("GET /v1/projects/demo/apps/kenya/loans/") == before + 1


def test_a_page_takes_no_further_look_once_one_failed(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    service.has_every_loan = True
    for number in range(3):
        sending.record(asked(account_id=f"L-{number}"), support, f"form-{number}")
    Repayment.objects.update(next_check_at=timezone.now())
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(500))
    before = service.server.hits("GET /v1/projects/demo/apps/kenya/loans/")
    reconciliation.check_due("kenya", at_most=3)
    assert service.server.hits("GET /v1/projects/demo/apps/kenya/loans/") == before + 1


def test_a_page_takes_no_further_look_once_its_patience_is_over(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = without_committing(reset())
    service.has_every_loan = True
    for number in range(2):
        sending.record(asked(account_id=f"L-{number}"), support, f"form-{number}")
    Repayment.objects.update(next_check_at=timezone.now())
    monkeypatch.setattr(reconciliation, "RUN_FOR", -1.0)
    reconciliation.check_due("kenya", at_most=2)
    assert sum(row.attempts for row in Repayment.objects.all()) == 1


def test_what_is_watched_no_more_does_not_say_that_it_is(
    service: LoanService, lost: Repayment, client_of: Callable[[User], Client], support: User
) -> None:
    service.someone_else_pays("1")
    message = get_message(RepaymentState.UNKNOWN)
    receipt = client_of(support).get(lost.get_absolute_url()).text
    assert message.next in receipt and 'data-finding="checks-ended"' not in receipt
    assert message.sentence in receipt
    reconciliation.check_if_due(due_now(lost, hours=25))
    receipt = client_of(support).get(lost.get_absolute_url()).text
    assert message.next not in receipt and 'data-finding="checks-ended"' in receipt
    assert message.sentence not in receipt


def test_a_look_that_is_not_due_is_not_taken(service: LoanService, lost: Repayment) -> None:
    Repayment.objects.update(next_check_at=timezone.now() + timedelta(minutes=1))
    lost.refresh_from_db()
    reconciliation.check_if_due(lost)
    assert lost.readings.filter(kind="check").count() == 0
    reconciliation.check_now(lost)
    assert lost.readings.filter(kind="check").count() == 1


def test_a_sender_that_died_leaves_it_unknown(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = services.create_intent(asked(), support, "form-1")
    services.move(
        repayment, RepaymentState.SENT, by=support, sent_at=timezone.now() - timedelta(minutes=5)
    )
    assert reconciliation.conclude_overdue() == 1
    repayment.refresh_from_db()
    assert repayment.state == RepaymentState.UNKNOWN
    assert repayment.next_check_at is not None


def test_a_sender_that_is_still_at_it_is_left_alone(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = services.create_intent(asked(), support, "form-1")
    services.move(
        repayment, RepaymentState.SENT, by=support, sent_at=timezone.now() - timedelta(seconds=30)
    )
    assert reconciliation.conclude_overdue() == 0


def test_a_late_rise_after_no_trace_raises_an_alarm(service: LoanService, lost: Repayment) -> None:
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    reconciliation.check_if_due(due_now(lost))
    assert lost.alarm == ""
    service.someone_else_pays("500")
    reconciliation.check_if_due(due_now(lost))
    assert (lost.alarm, lost.state) == (reconciliation.LATE_RISE, RepaymentState.NOT_FOUND)


def test_a_rise_that_the_second_attempt_explains_raises_none(
    service: LoanService, support: User, asked: Asked, lost: Repayment
) -> None:
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    sending.record(asked(external_id="TX", retry_of=lost.pk), support, "form-2", agreed=True)
    reconciliation.check_if_due(due_now(lost))
    assert lost.alarm == ""
    service.someone_else_pays("500")
    reconciliation.check_if_due(due_now(lost))
    assert lost.alarm != ""


def test_what_was_settled_as_not_recorded_is_still_watched(
    service: LoanService, manager: User, lost: Repayment
) -> None:
    services.resolve(lost, Resolution.NOT_RECORDED, "the operator found nothing", manager)
    reconciliation.check_if_due(due_now(lost))
    assert (lost.state, lost.alarm) == (RepaymentState.RESOLVED, "")
    service.someone_else_pays("500")
    reconciliation.check_if_due(due_now(lost))
    assert lost.alarm == reconciliation.LATE_RISE


def test_what_was_known_when_it_was_settled_raises_no_alarm(
    service: LoanService, manager: User, landed: Repayment
) -> None:
    reconciliation.check_if_due(landed)
    assert landed.state == RepaymentState.PRESUMED
    services.resolve(landed, Resolution.NOT_RECORDED, "that was the standing order", manager)
    reconciliation.check_if_due(due_now(landed))
    assert landed.alarm == ""


def test_what_was_inferred_or_settled_as_recorded_is_watched_no_more(
    service: LoanService, manager: User, landed: Repayment
) -> None:
    reconciliation.check_if_due(landed)
    assert landed.next_check_at is None
    assert reconciliation.list_due() == []


def test_a_person_s_looks_are_apart(service: LoanService, lost: Repayment) -> None:
    for _ in range(3):
        reconciliation.check_now(lost)
    assert lost.readings.filter(kind="check").count() == 1


def test_watching_ends_after_a_day(lost: Repayment) -> None:
    reconciliation.check_if_due(due_now(lost, hours=25))
    assert lost.next_check_at is None


def test_set_aside_lets_the_next_one_through_and_stops_inference(
    service: LoanService, manager: User, asked: Asked, landed: Repayment
) -> None:
    assert services.set_aside(landed, "customer waits at the counter", manager)
    reconciliation.check_if_due(due_now(landed))
    assert landed.state == RepaymentState.UNKNOWN
    following = sending.record(asked(amount=Decimal(200)), manager, "form-2")
    assert following.state == RepaymentState.RECORDED
    service.answer = commit_then(reset())
    doubtful = sending.record(asked(amount=Decimal(300)), manager, "form-3")
    reconciliation.check_if_due(due_now(doubtful))
    assert doubtful.state == RepaymentState.UNKNOWN
    assert not services.set_aside(landed, "once is enough", manager)


def test_settling_needs_an_open_question_and_keeps_the_reason(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    assert services.resolve(lost, Resolution.NOT_RECORDED, "the operator found nothing", manager)
    assert (lost.state, lost.resolution) == (RepaymentState.RESOLVED, Resolution.NOT_RECORDED)
    assert not services.resolve(lost, Resolution.RECORDED, "changed my mind", manager)
    entry = Entry.objects.filter(username="manager").latest("pk")
    assert lost.resolution_reason == "the operator found nothing"
    assert entry.detail.startswith(str(Resolution.NOT_RECORDED.label))
    assert lost.resolution_reason not in entry.detail
    again = sending.record(asked(external_id="TX"), manager, "form-2", agreed=True)
    assert again.state == RepaymentState.RECORDED


def test_settled_as_recorded_keeps_its_transaction_id(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    services.resolve(lost, Resolution.RECORDED, "it is on the statement", manager)
    with pytest.raises(services.DuplicateExternalId):
        sending.record(asked(external_id="TX"), manager, "form-2", agreed=True)


def test_settling_as_recorded_what_was_sent_again_is_refused(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    second = sending.record(
        asked(external_id="TX", retry_of=lost.pk), manager, "form-2", agreed=True
    )
    lost.refresh_from_db()
    refused, _ = services.create_intent(asked(external_id="later"), manager, "form-3")
    Repayment.objects.filter(pk=refused.pk).update(external_id="TX", state=RepaymentState.REFUSED)
    with pytest.raises(services.DuplicateExternalId) as live:
        services.resolve(lost, Resolution.RECORDED, "it is on the statement", manager)
    assert live.value.other == second


def test_reconcile_sweeps_looks_and_says_so(
    landed: Repayment, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("reconcile")
    landed.refresh_from_db()
    assert landed.state == RepaymentState.PRESUMED
    assert capsys.readouterr().out == "0 ended, 1 checked, 1 concluded\n"
