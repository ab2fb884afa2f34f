"""One intent, sent once: what becomes of it for each thing the service may do."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.lending.client import Loans
from lendingadmin.lending.errors import LendingError, NotAccepted, NotSent, Saved, Throttled
from lendingadmin.lending.parallel import Written
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments import reconciliation, sending, services
from lendingadmin.money.repayments.evidence import Effect
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
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
    assert repayment.state == RepaymentState.RECORDED
    assert repayment.effect_of(repayment.baseline, repayment.latest) == Effect.SEEN
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
        ("support", "loans.makeRepayment", RepaymentState.PENDING.label, "no", ""),
        ("support", "loans.makeRepayment", RepaymentState.SENT.label, "unknown", ""),
        ("support", "loans.makeRepayment", RepaymentState.RECORDED.label, "yes", "req-1"),
    ]


@pytest.mark.parametrize("error", [Throttled(), NotSent()], ids=["our limit", "too late"])
def test_what_is_held_back_here_is_not_sent(
    error: LendingError,
    service: LoanService,
    support: User,
    asked: Asked,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hold_back(*args: Any, **options: Any) -> Loan:
        raise error

    monkeypatch.setattr(Loans, "make_repayment", hold_back)
    repayment = sending.record(asked(), support, "form-1")
    assert (repayment.state, repayment.why) == (RepaymentState.NOT_SENT, error.message)
    assert service.posted == []


@pytest.mark.parametrize(
    ("answer", "state", "status"),
    [
        pytest.param(
            without_committing(refusal(400, "No.")), RepaymentState.REFUSED, 400, id="400"
        ),
        pytest.param(without_committing(refusal(401)), RepaymentState.REFUSED, 401, id="401"),
        pytest.param(without_committing(refusal(403)), RepaymentState.REFUSED, 403, id="403"),
        pytest.param(without_committing(refusal(404)), RepaymentState.REFUSED, 404, id="404"),
        pytest.param(without_committing(refusal(422)), RepaymentState.REFUSED, 422, id="422"),
        pytest.param(without_committing(refusal(429)), RepaymentState.REFUSED, 429, id="429"),
        pytest.param(without_committing(refusal(408)), RepaymentState.UNKNOWN, 408, id="408"),
        pytest.param(without_committing(refusal(409)), RepaymentState.UNKNOWN, 409, id="409"),
        pytest.param(without_committing(refusal(500)), RepaymentState.UNKNOWN, 500, id="500"),
        pytest.param(without_committing(refusal(503)), RepaymentState.UNKNOWN, 503, id="503"),
        pytest.param(
            without_committing(redirect("/elsewhere")), RepaymentState.UNKNOWN, 307, id="307"
        ),
        pytest.param(
            without_committing(reset()), RepaymentState.UNKNOWN, None, id="reset, not committed"
        ),
        pytest.param(
            commit_then(reset()), RepaymentState.UNKNOWN, None, id="reset after committing"
        ),
        pytest.param(
            commit_then(close()), RepaymentState.UNKNOWN, None, id="closed without a word"
        ),
        pytest.param(
            commit_then(reset_during()), RepaymentState.UNKNOWN, 200, id="reset in the answer"
        ),
        pytest.param(
            commit_then(refusal(500)), RepaymentState.UNKNOWN, 500, id="500 after committing"
        ),
        pytest.param(
            commit_then(truncated_json()), RepaymentState.UNKNOWN, 200, id="truncated JSON"
        ),
        pytest.param(commit_then(html()), RepaymentState.UNKNOWN, 200, id="HTML"),
        pytest.param(commit_then(empty()), RepaymentState.UNKNOWN, 200, id="an empty 200"),
        pytest.param(commit_then(reply([])), RepaymentState.UNKNOWN, 200, id="a list"),
        pytest.param(commit_then(reply({})), RepaymentState.UNKNOWN, 200, id="no accountId"),
        pytest.param(
            commit_then(reply({"accountId": "L-2"})), RepaymentState.UNKNOWN, 200, id="another loan"
        ),
        pytest.param(
            commit_then(reply({"accountId": "L-1", "error_description": "No."})),
            RepaymentState.UNKNOWN,
            200,
            id="the loan, with words of an error",
        ),
    ],
)
def test_what_the_answer_makes_of_it(
    service: LoanService,
    support: User,
    asked: Asked,
    answer: Callable[..., object],
    state: RepaymentState,
    status: int | None,
) -> None:
    service.answer = answer
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == state
    assert repayment.status == status
    assert service.asked == 1
    assert (repayment.next_check_at is not None) == (state == RepaymentState.UNKNOWN)


def test_the_service_s_own_words_are_kept(
    service: LoanService, support: User, asked: Asked
) -> None:
    words = "Loan is not open."
    service.answer = without_committing(refusal(422, words, {"X-Request-Id": "req-77"}))
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.error_description == words
    assert repayment.request_id == "req-77"


def test_the_words_of_an_error_with_the_right_loan_are_shown(
    service: LoanService, support: User, asked: Asked, desk: Client
) -> None:
    words = "Suspended by the till"
    answer = {"accountId": "L-1", "error_description": words}
    service.answer = without_committing(reply(answer))
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.error_description == words
    page = desk.get(repayment.get_absolute_url()).text
    assert words in page and get_message(RepaymentState.UNKNOWN).sentence in page


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
    assert repayment.state == RepaymentState.RECORDED
    assert repayment.effect_of(repayment.baseline, repayment.latest) == Effect.NOT_YET


def test_a_service_that_can_t_be_reached_is_not_sent_anything(
    settings: object, refused_address: str, support: User, asked: Asked
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = refused_address  # type: ignore[attr-defined]
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == RepaymentState.NOT_SENT
    assert repayment.why and repayment.sent_at is None


def test_without_a_baseline_of_the_same_loan_nothing_is_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.account_id = "L-2"
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == RepaymentState.NOT_SENT
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
    assert seen == [RepaymentState.SENT]


def test_inside_another_transaction_nothing_is_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        sending.record(asked(), support, "form-1")
    assert service.asked == 0


def test_a_sender_paused_past_its_deadline_sends_nothing(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "SEND_WITHIN", timedelta(0))
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == RepaymentState.NOT_SENT
    assert service.asked == 0


def test_an_intent_that_expired_meanwhile_is_not_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = services.create_intent(asked(), support, "form-1")
    Repayment.objects.update(send_before=timezone.now())
    assert reconciliation.conclude_overdue() == 1
    sending.send_all([repayment], support)
    assert repayment.state == RepaymentState.NOT_SENT
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
    assert repayment.state == RepaymentState.UNKNOWN


def test_without_a_token_nothing_was_sent(support: User, asked: Asked) -> None:
    repayment, _ = services.create_intent(asked(), support, "form-1")
    services.move(repayment, RepaymentState.SENT, by=support, sent_at=timezone.now())
    refused = NotAccepted(operation="token", status=401, saved=Saved.NO)
    sending.apply_outcomes([sending.judge(repayment, Written(refused))], support)
    assert repayment.state == RepaymentState.NOT_SENT
