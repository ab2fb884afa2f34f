"""Looking for evidence of what is unknown, and what people decide about it."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.repayments import ledger, sending, watching
from lendingadmin.repayments.ledger import Request
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import State, Verdict
from lendingadmin.staff.models import User
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
    fields = {"next_look_at": now} | ({"sent_at": now - timedelta(**ago)} if ago else {})
    Repayment.objects.filter(pk=repayment.pk).update(**fields)
    repayment.refresh_from_db()
    return repayment


def test_a_rise_by_exactly_the_amount_is_inferred(landed: Repayment) -> None:
    watching.look_if_due(landed)
    assert landed.state == State.INFERRED
    assert "another payment may explain it" in landed.why


def test_a_rise_by_another_amount_concludes_nothing(service: LoanService, lost: Repayment) -> None:
    service.someone_else_pays("499.99")
    watching.look_if_due(due_now(lost, minutes=20))
    watching.look_if_due(due_now(lost, minutes=21))
    assert lost.state == State.UNKNOWN


def test_no_trace_takes_the_quiet_time_and_two_fresh_looks(
    service: LoanService, lost: Repayment
) -> None:
    watching.look_if_due(lost)
    watching.look_if_due(due_now(lost))
    assert lost.state == State.UNKNOWN
    lost.readings.update(taken_at=timezone.now() - timedelta(minutes=19))
    watching.look_if_due(due_now(lost, minutes=20))
    assert lost.state == State.UNKNOWN
    watching.look_if_due(due_now(lost))
    assert lost.state == State.NO_TRACE
    assert lost.readings.filter(kind="look").count() == 4


def test_a_look_that_fails_is_kept_and_concludes_nothing(
    service: LoanService, lost: Repayment
) -> None:
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(404))
    watching.look_if_due(due_now(lost, minutes=20))
    watching.look_if_due(due_now(lost, minutes=20))
    assert lost.state == State.UNKNOWN
    assert lost.latest is not None and lost.latest.fault


def test_another_loan_s_balances_are_no_evidence(service: LoanService, lost: Repayment) -> None:
    service.account_id = "L-2"
    service.someone_else_pays("500")
    watching.look_if_due(lost)
    assert lost.state == State.UNKNOWN
    assert lost.latest is not None and "another record" in lost.latest.fault


def test_twenty_people_at_one_page_cost_one_look(service: LoanService, lost: Repayment) -> None:
    before = service.server.hits("GET /v1/projects/demo/apps/kenya/loans/")
    at_once(20, lambda _: watching.look_if_due(Repayment.objects.get(pk=lost.pk)))
    assert service.server.hits("GET /v1/projects/demo/apps/kenya/loans/") == before + 1


def test_a_page_takes_no_further_look_once_one_failed(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    service.has_every_loan = True
    for number in range(3):
        sending.record(asked(account_id=f"L-{number}"), support, f"form-{number}")
    Repayment.objects.update(next_look_at=timezone.now())
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(500))
    before = service.server.hits("GET /v1/projects/demo/apps/kenya/loans/")
    watching.look_at_due("kenya", at_most=3)
    assert service.server.hits("GET /v1/projects/demo/apps/kenya/loans/") == before + 1


def test_a_page_takes_no_further_look_once_its_patience_is_over(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = without_committing(reset())
    service.has_every_loan = True
    for number in range(2):
        sending.record(asked(account_id=f"L-{number}"), support, f"form-{number}")
    Repayment.objects.update(next_look_at=timezone.now())
    monkeypatch.setattr(watching, "_PATIENCE", -1.0)
    watching.look_at_due("kenya", at_most=2)
    assert sum(row.looks for row in Repayment.objects.all()) == 1


def test_what_is_watched_no_more_does_not_say_that_it_is(
    service: LoanService, lost: Repayment, client_of: Callable[[User], Client], support: User
) -> None:
    service.someone_else_pays("1")
    receipt = client_of(support).get(lost.get_absolute_url())
    assert "We read the loan again and again" in receipt.content.decode()
    watching.look_if_due(due_now(lost, hours=25))
    receipt = client_of(support).get(lost.get_absolute_url())
    assert "We read the loan again and again" not in receipt.content.decode()
    assert "It was watched for a day" in receipt.content.decode()
    assert "Checking…" not in receipt.content.decode()


def test_a_look_that_is_not_due_is_not_taken(service: LoanService, lost: Repayment) -> None:
    Repayment.objects.update(next_look_at=timezone.now() + timedelta(minutes=1))
    lost.refresh_from_db()
    watching.look_if_due(lost)
    assert lost.readings.filter(kind="look").count() == 0
    watching.look_now(lost)
    assert lost.readings.filter(kind="look").count() == 1


def test_a_sender_that_died_leaves_it_unknown(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = ledger.intend(asked(), support, "form-1")
    ledger.move(repayment, State.SENT, by=support, sent_at=timezone.now() - timedelta(minutes=5))
    assert watching.sweep() == 1
    repayment.refresh_from_db()
    assert repayment.state == State.UNKNOWN
    assert repayment.next_look_at is not None


def test_a_sender_that_is_still_at_it_is_left_alone(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = ledger.intend(asked(), support, "form-1")
    ledger.move(repayment, State.SENT, by=support, sent_at=timezone.now() - timedelta(seconds=30))
    assert watching.sweep() == 0


def test_a_late_rise_after_no_trace_raises_an_alarm(service: LoanService, lost: Repayment) -> None:
    Repayment.objects.update(state=State.NO_TRACE)
    watching.look_if_due(due_now(lost))
    assert lost.alarm == ""
    service.someone_else_pays("500")
    watching.look_if_due(due_now(lost))
    assert "Paid rose late" in lost.alarm
    assert lost.state == State.NO_TRACE


def test_a_rise_that_the_second_attempt_explains_raises_none(
    service: LoanService, support: User, asked: Asked, lost: Repayment
) -> None:
    Repayment.objects.update(state=State.NO_TRACE)
    sending.record(asked(external_id="TX", retry_of=lost.pk), support, "form-2")
    watching.look_if_due(due_now(lost))
    assert lost.alarm == ""
    service.someone_else_pays("500")
    watching.look_if_due(due_now(lost))
    assert lost.alarm != ""


def test_what_was_settled_as_not_recorded_is_still_watched(
    service: LoanService, manager: User, lost: Repayment
) -> None:
    ledger.settle(lost, Verdict.NOT_RECORDED, "the operator found nothing", manager)
    watching.look_if_due(due_now(lost))
    assert (lost.state, lost.alarm) == (State.SETTLED, "")
    service.someone_else_pays("500")
    watching.look_if_due(due_now(lost))
    assert "Paid rose late" in lost.alarm


def test_what_was_known_when_it_was_settled_raises_no_alarm(
    service: LoanService, manager: User, landed: Repayment
) -> None:
    watching.look_if_due(landed)
    assert landed.state == State.INFERRED
    ledger.settle(landed, Verdict.NOT_RECORDED, "that was the standing order", manager)
    watching.look_if_due(due_now(landed))
    assert landed.alarm == ""


def test_what_was_inferred_or_settled_as_recorded_is_watched_no_more(
    service: LoanService, manager: User, landed: Repayment
) -> None:
    watching.look_if_due(landed)
    assert landed.next_look_at is None
    assert watching.due() == []


def test_a_person_s_looks_are_apart(service: LoanService, lost: Repayment) -> None:
    for _ in range(3):
        watching.look_now(lost)
    assert lost.readings.filter(kind="look").count() == 1


def test_watching_ends_after_a_day(lost: Repayment) -> None:
    watching.look_if_due(due_now(lost, hours=25))
    assert lost.next_look_at is None


def test_set_aside_lets_the_next_one_through_and_stops_inference(
    service: LoanService, manager: User, asked: Asked, landed: Repayment
) -> None:
    assert ledger.set_aside(landed, "customer waits at the counter", manager)
    watching.look_if_due(due_now(landed))
    assert landed.state == State.UNKNOWN
    following = sending.record(asked(amount=Decimal(200)), manager, "form-2")
    assert following.state == State.RECORDED
    service.answer = commit_then(reset())
    doubtful = sending.record(asked(amount=Decimal(300)), manager, "form-3")
    watching.look_if_due(due_now(doubtful))
    assert doubtful.state == State.UNKNOWN
    assert not ledger.set_aside(landed, "once is enough", manager)


def test_settling_needs_an_open_question_and_keeps_the_reason(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    assert ledger.settle(lost, Verdict.NOT_RECORDED, "the operator found nothing", manager)
    assert (lost.state, lost.settled_as) == (State.SETTLED, Verdict.NOT_RECORDED)
    assert not ledger.settle(lost, Verdict.RECORDED, "changed my mind", manager)
    entry = Entry.objects.filter(username="manager").latest("pk")
    assert "the operator found nothing" in entry.detail
    again = sending.record(asked(external_id="TX"), manager, "form-2")
    assert again.state == State.RECORDED


def test_settled_as_recorded_keeps_its_transaction_id(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    ledger.settle(lost, Verdict.RECORDED, "it is on the statement", manager)
    with pytest.raises(ledger.AlreadyLive):
        sending.record(asked(external_id="TX"), manager, "form-2")


def test_settling_as_recorded_what_was_sent_again_is_refused(
    service: LoanService, manager: User, asked: Asked, lost: Repayment
) -> None:
    Repayment.objects.update(state=State.NO_TRACE)
    second = sending.record(asked(external_id="TX", retry_of=lost.pk), manager, "form-2")
    lost.refresh_from_db()
    refused, _ = ledger.intend(asked(external_id="later"), manager, "form-3")
    Repayment.objects.filter(pk=refused.pk).update(external_id="TX", state=State.REFUSED)
    with pytest.raises(ledger.AlreadyLive) as live:
        ledger.settle(lost, Verdict.RECORDED, "it is on the statement", manager)
    assert live.value.other == second


def test_reconcile_sweeps_looks_and_says_so(
    landed: Repayment, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("reconcile")
    landed.refresh_from_db()
    assert landed.state == State.INFERRED
    assert capsys.readouterr().out == "0 swept up, 1 looked at, 1 concluded\n"
