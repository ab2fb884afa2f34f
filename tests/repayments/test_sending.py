"""One intent, sent once: what becomes of it for each thing the service may do."""

import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.lending.errors import BadRequest, Saved
from lendingadmin.lending.loans import Loans
from lendingadmin.lending.values import Loan
from lendingadmin.repayments import book, ledger, sending, watching
from lendingadmin.repayments.evidence import Effect
from lendingadmin.repayments.ledger import Request
from lendingadmin.repayments.models import Reading, Repayment
from lendingadmin.repayments.states import State
from lendingadmin.staff.models import User
from tests.faults.behaviours import (
    close,
    empty,
    html,
    redirect,
    refusal,
    reply,
    reset,
    reset_during,
    truncated_json,
)
from tests.repayments.service import LoanService, commit_then, without_committing

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


def test_recorded_with_its_effect_seen(service: LoanService, support: User, asked: Asked) -> None:
    repayment = sending.record(asked(notes="paid by her brother"), support, "form-1")
    assert repayment.state == State.RECORDED
    assert repayment.effect == Effect.SEEN
    assert [reading.kind for reading in repayment.readings.all()] == ["baseline", "after"]
    (body,) = service.posted
    assert body["externalId"] == "TX-1"
    assert body["amount"] == 500
    assert body["notes"] == "paid by her brother"
    assert set(body) == {
        "externalId",
        "amount",
        "transactionDate",
        "valueDate",
        "channel",
        "network",
        "currencyCode",
        "notes",
    }


def test_every_step_is_in_the_audit_trail(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment = sending.record(asked(), support, "form-1")
    entries = Entry.objects.filter(subject=f"L-1 {repayment}").order_by("pk")
    outcomes = list(entries.values_list("username", "action", "outcome", "saved", "request_id"))
    assert outcomes == [
        ("support", "loans.makeRepayment", State.PENDING.label, "no", ""),
        ("support", "loans.makeRepayment", State.SENT.label, "unknown", ""),
        ("support", "loans.makeRepayment", State.RECORDED.label, "yes", "req-1"),
    ]


@pytest.mark.parametrize(
    ("answer", "state", "status"),
    [
        pytest.param(without_committing(refusal(400, "No.")), State.REFUSED, 400, id="400"),
        pytest.param(without_committing(refusal(401)), State.REFUSED, 401, id="401"),
        pytest.param(without_committing(refusal(403)), State.REFUSED, 403, id="403"),
        pytest.param(without_committing(refusal(404)), State.REFUSED, 404, id="404"),
        pytest.param(without_committing(refusal(422)), State.REFUSED, 422, id="422"),
        pytest.param(without_committing(refusal(429)), State.REFUSED, 429, id="429"),
        pytest.param(without_committing(refusal(408)), State.UNKNOWN, 408, id="408"),
        pytest.param(without_committing(refusal(409)), State.UNKNOWN, 409, id="409"),
        pytest.param(without_committing(refusal(500)), State.UNKNOWN, 500, id="500"),
        pytest.param(without_committing(refusal(503)), State.UNKNOWN, 503, id="503"),
        pytest.param(without_committing(redirect("/elsewhere")), State.UNKNOWN, 307, id="307"),
        pytest.param(without_committing(reset()), State.UNKNOWN, None, id="reset, not committed"),
        pytest.param(commit_then(reset()), State.UNKNOWN, None, id="reset after committing"),
        pytest.param(commit_then(close()), State.UNKNOWN, None, id="closed without a word"),
        pytest.param(commit_then(reset_during()), State.UNKNOWN, 200, id="reset in the answer"),
        pytest.param(commit_then(refusal(500)), State.UNKNOWN, 500, id="500 after committing"),
        pytest.param(commit_then(truncated_json()), State.UNKNOWN, 200, id="truncated JSON"),
        pytest.param(commit_then(html()), State.UNKNOWN, 200, id="HTML"),
        pytest.param(commit_then(empty()), State.UNKNOWN, 200, id="an empty 200"),
        pytest.param(commit_then(reply([])), State.UNKNOWN, 200, id="a list"),
        pytest.param(commit_then(reply({})), State.UNKNOWN, 200, id="no accountId"),
        pytest.param(
            commit_then(reply({"accountId": "L-2"})), State.UNKNOWN, 200, id="another loan"
        ),
    ],
)
def test_what_the_answer_makes_of_it(
    service: LoanService,
    support: User,
    asked: Asked,
    answer: Callable[..., object],
    state: State,
    status: int | None,
) -> None:
    service.answer = answer
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == state
    assert repayment.status in (status, None if status == 200 else status)
    assert service.asked == 1
    assert (repayment.next_look_at is not None) == (state == State.UNKNOWN)


def test_the_service_s_own_words_are_kept(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(
        refusal(422, "Loan is not open.", {"X-Request-Id": "req-77"})
    )
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.error_description == "Loan is not open."
    assert repayment.request_id == "req-77"


def test_the_status_of_the_answer_is_the_one_that_came(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = commit_then(reply({"accountId": "L-1"}, status=201))
    assert sending.record(asked(), support, "form-1").status == 201


def test_acknowledged_without_committing_is_recorded_and_its_effect_not_seen(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reply({"accountId": "L-1"}))
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == State.RECORDED
    assert repayment.effect == Effect.NOT_YET


def test_a_service_that_can_t_be_reached_is_not_sent_anything(
    settings: object, refused_address: str, support: User, asked: Asked
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = refused_address  # type: ignore[attr-defined]
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == State.NOT_SENT
    assert "could not be read before sending" in repayment.why


def test_without_a_baseline_of_the_same_loan_nothing_is_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.account_id = "L-2"
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == State.NOT_SENT
    assert service.asked == 0


def test_the_intent_is_committed_as_sent_before_the_socket_is_written(
    service: LoanService, support: User, asked: Asked
) -> None:
    seen: list[str] = []

    def answer(record: Callable[[], None]) -> object:
        # The service's own thread, and so another connection: it sees only what is committed.
        seen.append(Repayment.objects.get().state)
        return service.keep_word(record)

    service.answer = answer  # type: ignore[assignment]
    sending.record(asked(), support, "form-1")
    assert seen == [State.SENT]


def test_inside_another_transaction_nothing_is_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        sending.record(asked(), support, "form-1")
    assert service.asked == 0


def test_a_sender_paused_past_its_deadline_sends_nothing(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "SEND_WITHIN", timedelta(0))
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == State.NOT_SENT
    assert service.asked == 0


def test_an_intent_that_expired_meanwhile_is_not_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = ledger.intend(asked(), support, "form-1")
    Repayment.objects.update(send_before=timezone.now())
    assert watching.sweep() == 1
    sending.send(repayment, support)
    assert repayment.state == State.NOT_SENT
    assert service.asked == 0


def test_a_fault_of_our_own_after_sending_leaves_it_unknown(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Loans.make_repayment

    def break_down(*args: Any, **named: Any) -> Loan:
        record(*args, **named)
        raise ZeroDivisionError

    monkeypatch.setattr(Loans, "make_repayment", break_down)
    repayment = sending.record(asked(), support, "form-1")
    assert service.asked == 1
    assert repayment.state == State.UNKNOWN


def test_the_same_form_lands_on_the_first_result(
    service: LoanService, support: User, asked: Asked
) -> None:
    request = asked()
    first = sending.record(request, support, "form-1")
    again = sending.record(request, support, "form-1")
    assert again.pk == first.pk
    assert service.asked == 1


def test_one_form_submitted_twenty_times_at_once_is_sent_once(
    service: LoanService, support: User, asked: Asked
) -> None:
    request = asked()
    results = at_once(20, lambda _: sending.record(request, support, "form-1").pk)
    assert len(set(results)) == 1
    assert service.asked == 1
    assert len(service.posted) == 1


def test_one_transaction_id_from_twenty_forms_at_once_is_sent_once(
    service: LoanService, support: User, asked: Asked
) -> None:
    request = asked()
    results = at_once(20, lambda n: sending.record(request, support, f"form-{n}"))
    landed = [result for result in results if isinstance(result, Repayment)]
    assert len(landed) == 1
    assert all(isinstance(x, Repayment | ledger.AlreadyLive | ledger.LoanBusy) for x in results)
    assert service.asked == 1


def test_an_open_intent_keeps_the_loan_busy(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(), support, "form-1")
    with pytest.raises(ledger.LoanBusy) as busy:
        sending.record(asked(), support, "form-2")
    assert busy.value.other == first
    assert service.asked == 1


def test_an_intent_whose_rival_was_concluded_meanwhile_goes_through(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(), support, "form-1")
    explain = ledger._explain

    def late(*args: Any) -> Repayment | None:
        Repayment.objects.filter(pk=first.pk).update(state=State.RECORDED)
        return explain(*args)

    monkeypatch.setattr(ledger, "_explain", late)
    second, is_new = ledger.intend(asked(), support, "form-2")
    assert is_new and second != first


def test_balances_beyond_all_money_are_no_evidence(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.paid = Decimal(10) ** 100
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == State.RECORDED
    assert {reading.paid for reading in repayment.readings.all()} == {""}
    assert repayment.effect == Effect.UNREADABLE


def test_a_late_acknowledgement_alarms_again_after_an_alarm_that_was_seen(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = ledger.intend(asked(), support, "form-1")
    Repayment.objects.update(state=State.NO_TRACE)
    ledger.raise_alarm(repayment, "Paid rose late.")
    ledger.see_alarm(repayment, support)
    ledger.acknowledge(repayment, support)
    assert list(book.alarms("kenya")) == [repayment]


def test_a_late_refusal_ends_the_looking(service: LoanService, support: User, asked: Asked) -> None:
    service.answer = without_committing(reset())
    repayment = sending.record(asked(), support, "form-1")
    sending.conclude_error(repayment, BadRequest(status=400, saved=Saved.NO), support)
    assert (repayment.state, repayment.next_look_at) == (State.REFUSED, None)


def test_a_transaction_id_is_free_again_where_nothing_is_at_the_service(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(refusal(400))
    refused = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    again = sending.record(asked(external_id="TX", retry_of=refused.pk), support, "form-2")
    assert again.state == State.RECORDED
    assert again.retry_of == refused
    with pytest.raises(ledger.AlreadyLive):
        sending.record(asked(external_id=" TX "), support, "form-3")


def test_cash_gets_an_id_of_its_own(service: LoanService, support: User, asked: Asked) -> None:
    one = sending.record(asked(external_id="  "), support, "form-1")
    two = sending.record(asked(external_id=""), support, "form-2")
    assert one.external_id_minted and two.external_id_minted
    assert one.external_id != two.external_id
    assert [body["externalId"] for body in service.posted] == [one.external_id, two.external_id]


def test_a_late_acknowledgement_moves_any_state_and_raises_an_alarm(
    service: LoanService, support: User, asked: Asked
) -> None:
    for number, state in enumerate(set(State) - {State.RECORDED, State.SENT}):
        repayment, _ = ledger.intend(asked(account_id=f"L-{number}"), support, f"form-{number}")
        Repayment.objects.filter(pk=repayment.pk).update(state=state)
        ledger.acknowledge(repayment, support)
        assert repayment.state == State.RECORDED, state
        assert "acknowledged it late" in repayment.alarm, state


def test_two_late_truths_about_one_transaction_id_are_both_kept(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(external_id="TX"), support, "form-1")
    Repayment.objects.filter(pk=first.pk).update(state=State.NO_TRACE)
    service.answer = service.keep_word
    second = sending.record(asked(external_id="TX", retry_of=first.pk), support, "form-2")
    ledger.acknowledge(first, support)
    second.refresh_from_db()
    assert (first.state, second.state) == (State.RECORDED, State.RECORDED)
    assert first.duplicate
    assert "twice" in first.alarm


def test_what_is_stored_keeps_every_digit_and_hides_the_notes(
    service: LoanService, support: User, asked: Asked
) -> None:
    request = asked(amount=Decimal("123456789012.34"), notes="for Wanjiru")
    repayment = sending.record(request, support, "form-1")
    stored = Repayment.objects.get(pk=repayment.pk)
    assert stored.exact_amount == Decimal("123456789012.34")
    assert stored.notes == "for Wanjiru"
    with connection.cursor() as cursor:
        cursor.execute("SELECT notes FROM repayments_repayment WHERE id = %s", [repayment.pk])
        (sealed,) = cursor.fetchone()
    assert sealed and "Wanjiru" not in sealed
    assert service.posted[0]["amount"] == Decimal("123456789012.34")
    assert Reading.objects.filter(repayment=repayment).latest("id").paid == "123456790012.34"


def at_once(count: int, act: Callable[[int], object]) -> list[object]:
    """Run the act in so many threads that start together; an exception is a result too."""
    results: list[object] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            results.append(act(number))
        except Exception as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
