"""Nothing is sent twice: the same form, the same transaction id, the same loan, late truths."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import BadRequest, Saved
from lendingadmin.lending.parallel import Written
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.evidence import Effect
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import UNAPPROVED, RepaymentState
from tests.faults.behaviours import (
    refusal,
    reset,
)
from tests.repayments.rows import acknowledge
from tests.repayments.service import LoanService, without_committing
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


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
    assert all(
        isinstance(x, Repayment | services.DuplicateExternalId | services.LoanBusy) for x in results
    )
    assert service.asked == 1


def test_an_open_intent_keeps_the_loan_busy(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(), support, "form-1")
    with pytest.raises(services.LoanBusy) as busy:
        sending.record(asked(), support, "form-2")
    assert busy.value.other == first
    assert service.asked == 1


def test_an_intent_whose_rival_was_concluded_meanwhile_goes_through(
    service: LoanService, support: User, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(), support, "form-1")
    explain = services.explain_refusal

    def late(*args: Any) -> Repayment | None:
        Repayment.objects.filter(pk=first.pk).update(state=RepaymentState.RECORDED)
        return explain(*args)

    monkeypatch.setattr(services, "explain_refusal", late)
    second, is_new = services.create_intent(asked(), support, "form-2")
    assert is_new and second != first


def test_balances_beyond_all_money_are_no_evidence(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.paid = Decimal(10) ** 100
    repayment = sending.record(asked(), support, "form-1")
    assert repayment.state == RepaymentState.RECORDED
    assert {reading.paid for reading in repayment.readings.all()} == {""}
    assert repayment.effect_of(repayment.baseline, repayment.latest) == Effect.UNREADABLE


def test_a_late_acknowledgement_alarms_again_after_an_alarm_that_was_seen(
    service: LoanService, support: User, asked: Asked
) -> None:
    repayment, _ = services.create_intent(asked(), support, "form-1")
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    services.raise_alarm(repayment, "Paid rose late.")
    services.mark_alarm_seen(repayment, support)
    acknowledge(repayment, support)
    assert list(Repayment.objects.with_unseen_alarm("kenya")) == [repayment]


def test_a_late_refusal_ends_the_looking(service: LoanService, support: User, asked: Asked) -> None:
    service.answer = without_committing(reset())
    repayment = sending.record(asked(), support, "form-1")
    refused = Written(BadRequest(status=400, saved=Saved.NO))
    sending.apply_outcomes([sending.judge(repayment, refused)], support)
    assert (repayment.state, repayment.next_check_at) == (RepaymentState.REFUSED, None)


def test_a_transaction_id_is_free_again_where_nothing_is_at_the_service(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(refusal(400))
    refused = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    again = sending.record(asked(external_id="TX", retry_of=refused.pk), support, "form-2")
    assert again.state == RepaymentState.RECORDED
    assert again.retry_of == refused
    with pytest.raises(services.DuplicateExternalId):
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
    never_late = {*UNAPPROVED, RepaymentState.RECORDED, RepaymentState.SENT}
    for number, state in enumerate(set(RepaymentState) - never_late):
        repayment, _ = services.create_intent(
            asked(account_id=f"L-{number}"), support, f"form-{number}"
        )
        Repayment.objects.filter(pk=repayment.pk).update(state=state)
        acknowledge(repayment, support)
        assert repayment.state == RepaymentState.RECORDED, state
        assert str(state.label) in repayment.alarm, state


def test_two_late_truths_about_one_transaction_id_are_both_kept(
    service: LoanService, support: User, asked: Asked
) -> None:
    service.answer = without_committing(reset())
    first = sending.record(asked(external_id="TX"), support, "form-1")
    Repayment.objects.filter(pk=first.pk).update(state=RepaymentState.NOT_FOUND)
    service.answer = service.keep_word
    second = sending.record(
        asked(external_id="TX", retry_of=first.pk), support, "form-2", agreed=True
    )
    acknowledge(first, support)
    second.refresh_from_db()
    assert (first.state, second.state) == (RepaymentState.RECORDED, RepaymentState.RECORDED)
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
