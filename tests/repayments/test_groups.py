"""Repayments of different loans, recorded together: each is told, sent and kept as one alone is."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import reconciliation, sending, services
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.services import Intent, Move, Request
from lendingadmin.money.repayments.states import RepaymentState
from tests.faults.behaviours import refusal, reset
from tests.faults.server import Behaviour, FaultServer
from tests.policies.setting import set_limits
from tests.statements.desk import DeskService

from .rows import row

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]
LOANS = ("L-1", "L-2", "L-3", "L-4")


def make_service(server: FaultServer) -> DeskService:
    service = DeskService(server)
    for loan in LOANS:
        service.add(loan)
    return service


@pytest.fixture
def intents(asked: Asked) -> list[Intent]:
    """One on each loan, each with an id of its own."""
    return [Intent(asked(account_id=loan), f"key-{loan}", agreed=False) for loan in LOANS]


def list_states() -> dict[str, str]:
    return dict(Repayment.objects.values_list("account_id", "state"))


def test_all_are_under_way_at_once_and_each_has_its_steps(
    service: DeskService, support: User, intents: list[Intent]
) -> None:
    all_there, seen = threading.Barrier(4, timeout=5), list[set[str]]()

    def answer(loan_id: str, record: Callable[[], None]) -> Behaviour:
        all_there.wait()
        # The service's own thread, and so another connection: it sees only what is committed.
        seen.append(set(list_states().values()))
        return service.keep_word(loan_id, record)

    service.answer = answer
    found = sending.record_all(intents, support)
    assert seen == [{RepaymentState.SENT}] * 4
    rows = list(Repayment.objects.order_by("pk"))
    assert found == rows and {one.state for one in rows} == {RepaymentState.RECORDED}
    numbers = [one.receipt_sequence for one in rows]
    assert numbers == [1, 2, 3, 4]
    for one in rows:
        kinds = [reading.kind for reading in one.readings.all()]
        assert kinds == [Reading.Kind.BASELINE, Reading.Kind.AFTER] and one.next_check_at is None
        entries = Entry.objects.filter(subject=f"{one.account_id} {one}").order_by("pk")
        assert list(entries.values_list("outcome", "saved")) == [
            (RepaymentState.PENDING.label, "no"),
            (RepaymentState.SENT.label, "unknown"),
            (RepaymentState.RECORDED.label, "yes"),
        ]


def test_entered_again_all_are_found_and_none_is_sent(
    service: DeskService, support: User, intents: list[Intent]
) -> None:
    first = sending.record_all(intents, support)
    assert sending.record_all(intents, support) == first
    assert len(service.posted) == 4


def test_what_stands_against_one_is_told_of_that_one(
    service: DeskService, support: User, intents: list[Intent], asked: Asked
) -> None:
    ids = [one.request.external_id for one in intents]
    row(support, RepaymentState.UNKNOWN, account_id="L-1", external_id="another")
    row(support, RepaymentState.RECORDED, account_id="L-2", external_id=ids[1])
    row(support, RepaymentState.NOT_FOUND, account_id="L-3", external_id=ids[2])
    found = sending.record_all(intents, support)
    kinds = [services.LoanBusy, services.DuplicateExternalId, services.MayDouble, Repayment]
    assert [type(one) for one in found] == kinds
    assert [one[0] for one in service.posted] == ["L-4"]


def test_what_may_double_goes_where_somebody_agreed(
    service: DeskService, support: User, intents: list[Intent]
) -> None:
    same = intents[2].request.external_id
    row(support, RepaymentState.NOT_FOUND, account_id="L-3", external_id=same)
    found = sending.record_all([one._replace(agreed=True) for one in intents], support)
    assert {type(one) for one in found} == {Repayment} and len(service.posted) == 4


def test_together_they_do_not_stay_below_the_limit_of_a_day(
    service: DeskService, support: User, manager: User, intents: list[Intent]
) -> None:
    set_limits(day=str(intents[0].request.amount * 2))
    sending.record_all(intents, support)
    states = [list_states()[loan] for loan in LOANS]
    assert states == ["recorded", "recorded", "awaiting", "awaiting"]
    assert len(service.posted) == 2
    waiting = Repayment.objects.get(account_id="L-4")
    assert [one.kind for one in waiting.readings.all()] == [Reading.Kind.ENTERED]


def test_one_that_expired_meanwhile_is_not_sent(
    service: DeskService, support: User, intents: list[Intent]
) -> None:
    rows = [one[0] for one in services.create_intents(intents, support) if isinstance(one, tuple)]
    Repayment.objects.filter(account_id="L-2").update(send_before=timezone.now())
    assert reconciliation.conclude_overdue() == 1
    sending.send_all(rows, support)
    assert sorted(one[0] for one in service.posted) == ["L-1", "L-3", "L-4"]
    assert [one.state for one in rows] == ["recorded", "not_sent", "recorded", "recorded"]


def test_who_was_paused_past_the_deadline_sends_none(
    service: DeskService, support: User, intents: list[Intent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "SEND_WITHIN", timedelta(0))
    sending.record_all(intents, support)
    assert set(list_states().values()) == {RepaymentState.NOT_SENT}
    assert service.server.hits("makeRepayment") == 0


def test_one_without_a_baseline_is_not_sent(
    service: DeskService, support: User, intents: list[Intent]
) -> None:
    del service.loans["L-3"]
    sending.record_all(intents, support)
    assert list_states() == dict.fromkeys(LOANS, "recorded") | {"L-3": "not_sent"}
    assert service.server.hits("makeRepayment") == 3


@pytest.fixture
def mixed(service: DeskService) -> DeskService:
    """One is refused, one gets no answer, and one is concluded by a sweep while it is sent."""

    def answer(loan_id: str, record: Callable[[], None]) -> Behaviour:
        if loan_id == "L-1":
            return refusal(400, "closed")
        if loan_id == "L-2":
            return reset()
        if loan_id == "L-3":
            Repayment.objects.filter(account_id="L-3").update(state=RepaymentState.UNKNOWN)
        return service.keep_word(loan_id, record)

    service.answer = answer
    return service


MIXED = {"L-1": "refused", "L-2": "unknown", "L-3": "recorded", "L-4": "recorded"}


def test_each_becomes_what_its_own_answer_says(
    mixed: DeskService, support: User, intents: list[Intent]
) -> None:
    sending.record_all(intents, support)
    assert list_states() == MIXED
    rows = {one.account_id: one for one in Repayment.objects.all()}
    assert rows["L-1"].error_description == "closed"
    assert rows["L-3"].alarm and not rows["L-4"].alarm
    assert {rows["L-3"].receipt_sequence, rows["L-4"].receipt_sequence} == {1, 2}
    assert rows["L-2"].next_check_at and not rows["L-4"].next_check_at


def test_outcomes_that_cannot_be_kept_together_are_each_kept(
    mixed: DeskService, support: User, intents: list[Intent], monkeypatch: pytest.MonkeyPatch
) -> None:
    conclude_all = services.conclude_all

    def refuse(moves: Sequence[Move], *, by: User | None) -> None:
        conclude_all(moves, by=by)
        if len(moves) > 1:
            raise IntegrityError

    monkeypatch.setattr(services, "conclude_all", refuse)
    sending.record_all(intents, support)
    assert list_states() == MIXED


def test_one_that_cannot_be_kept_stands_in_no_other_s_way(
    mixed: DeskService, support: User, intents: list[Intent], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_numbers = services.receipts.give_numbers

    def fail(rows: Sequence[Repayment]) -> None:
        give_numbers(rows)
        if any(one.account_id == "L-1" for one in rows) and rows[0].state != RepaymentState.SENT:
            raise ZeroDivisionError

    monkeypatch.setattr(services.receipts, "give_numbers", fail)
    with pytest.raises(ZeroDivisionError):
        sending.record_all(intents, support)
    assert list_states() == MIXED | {"L-1": "sent"}
    numbers = Repayment.objects.exclude(receipt_sequence=None).order_by("receipt_sequence")
    assert [one.receipt_sequence for one in numbers] == [1, 2]
