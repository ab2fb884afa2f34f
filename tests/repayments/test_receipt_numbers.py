"""Receipts are numbered without gaps per app and year of the lender, once the outcome is known."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.repayments.rows import acknowledge, row
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
NAIROBI = ZoneInfo("Africa/Nairobi")
Asked = Callable[..., Request]


def sent(by: User, **fields: object) -> Repayment:
    return row(by, RepaymentState.SENT, **fields)


def record(repayment: Repayment) -> str:
    acknowledge(repayment, None)
    return repayment.receipt_number


def numbers(app_id: str = "kenya") -> list[tuple[int, int]]:
    rows = Repayment.objects.filter(app_id=app_id, receipt_year__isnull=False)
    return sorted(rows.values_list("receipt_year", "receipt_sequence"))


@pytest.mark.parametrize("state", RepaymentState)
def test_one_is_given_when_the_outcome_is_known_and_never_before(
    support: User, state: RepaymentState
) -> None:
    known = state == RepaymentState.RECORDED
    starts = {
        RepaymentState.AWAITING: None,
        RepaymentState.DECLINED: RepaymentState.AWAITING,
        RepaymentState.PENDING: None,
        RepaymentState.RECORDED: RepaymentState.SENT,
        RepaymentState.SENT: RepaymentState.PENDING,
        RepaymentState.NOT_SENT: RepaymentState.PENDING,
        RepaymentState.UNKNOWN: RepaymentState.SENT,
        RepaymentState.REFUSED: RepaymentState.SENT,
    }
    start = starts.get(state, RepaymentState.UNKNOWN)
    repayment = row(support, start or state)
    if start:
        assert services.move(repayment, state, by=support)
    year = timezone.localdate(timezone=NAIROBI).year
    assert numbers() == ([(year, 1)] if known else [])
    assert repayment.receipt_number == (f"KENYA-{year}-000001" if known else "")


@pytest.mark.parametrize("resolution", Resolution)
def test_a_person_s_word_gives_one_where_it_says_recorded(
    support: User, manager: User, resolution: Resolution
) -> None:
    repayment = row(support, RepaymentState.UNKNOWN)
    assert services.resolve(repayment, resolution, "the operator said so", manager)
    assert bool(repayment.receipt_number) == (resolution == Resolution.RECORDED)


def test_a_late_success_gives_one_and_keeps_the_one_that_it_has(
    support: User, manager: User
) -> None:
    given_up = row(support, RepaymentState.UNKNOWN)
    services.resolve(given_up, Resolution.NOT_RECORDED, "the operator said so", manager)
    believed = row(support, RepaymentState.UNKNOWN)
    services.resolve(believed, Resolution.RECORDED, "the operator said so", manager)
    first = believed.receipt_number
    assert first.endswith("-000001")
    assert record(believed) == first
    assert believed.state == RepaymentState.RECORDED
    assert record(given_up).endswith("-000002")


def test_of_many_at_once_none_repeats_or_skips_one(support: User) -> None:
    rows = [
        sent(support, account_id=f"L-{number % 5}", set_aside_at=timezone.now())
        for number in range(24)
    ]
    given = at_once(24, lambda number: record(Repayment.objects.get(pk=rows[number].pk)))
    year = timezone.localdate(timezone=NAIROBI).year
    assert sorted(map(str, given)) == [f"KENYA-{year}-{number:06}" for number in range(1, 25)]
    assert numbers() == [(year, number) for number in range(1, 25)]


def test_many_who_say_the_same_give_one(support: User) -> None:
    mine = sent(support)
    given = at_once(12, lambda _: record(Repayment.objects.get(pk=mine.pk)))
    assert set(given) == {f"KENYA-{timezone.localdate(timezone=NAIROBI).year}-000001"}
    assert record(sent(support)).endswith("-000002")


def test_what_is_rolled_back_leaves_no_gap(support: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record(sent(support)).endswith("-000001")
    failing = sent(support)

    def fail(*args: object, **fields: object) -> None:
        raise RuntimeError("the process dies before it commits")

    real = services.receipts.give_numbers

    def give_and_fail(repayments: Sequence[Repayment]) -> None:
        real(repayments)
        fail()

    monkeypatch.setattr(services.receipts, "give_numbers", give_and_fail)
    with pytest.raises(RuntimeError):
        record(failing)
    monkeypatch.undo()
    failing.refresh_from_db()
    assert (failing.state, failing.receipt_number) == (RepaymentState.SENT, "")
    assert record(sent(support)).endswith("-000002")
    assert record(failing).endswith("-000003")


def test_an_id_that_the_service_holds_twice_takes_one_number_only(
    support: User, asked: Asked
) -> None:
    first = sent(support, account_id="L-1", external_id="TX")
    record(first)
    late = row(support, RepaymentState.NOT_FOUND, account_id="L-1", external_id="TX")
    assert record(late).endswith("-000002")
    assert late.duplicate
    assert record(sent(support)).endswith("-000003")


def test_each_app_and_each_year_of_the_lender_begins_with_one(
    support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Midnight of 31 December is three hours earlier in Nairobi than in Accra."""

    def record_at(app_id: str, moment: datetime) -> str:
        repayment = sent(support, app_id=app_id)
        monkeypatch.setattr(timezone, "now", lambda: moment)
        return record(repayment)

    eve = datetime(2026, 12, 31, 20, 59, 59, tzinfo=UTC)
    assert record_at("kenya", eve) == "KENYA-2026-000001"
    assert record_at("kenya", eve + timedelta(seconds=1)) == "KENYA-2027-000001"
    assert record_at("ghana", eve + timedelta(seconds=1)) == "GHANA-2026-000001"
    assert record_at("ghana", eve + timedelta(hours=3, seconds=1)) == "GHANA-2027-000001"
    assert record_at("kenya", eve + timedelta(seconds=2)) == "KENYA-2027-000002"


def test_the_journal_s_file_names_it(boss: Client, support: User) -> None:
    mine = sent(support, amount="12.50")
    record(mine)
    text = b"".join(
        boss.get("/apps/kenya/repayments/export.csv?technical=1").streaming_content
    ).decode()
    head, line = text.lstrip("\ufeff").splitlines()
    assert dict(zip(head.split(","), line.split(","), strict=True))["receiptNumber"] == (
        mine.receipt_number
    )
    assert mine.exact_amount == Decimal("12.5")
