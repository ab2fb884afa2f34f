"""The pure rules: what balances say of a repayment, and when that is enough to conclude."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.money.repayments.evidence import (
    Effect,
    OtherRepayment,
    PaidReading,
    attribute,
    conclude,
    effect,
)
from lendingadmin.money.repayments.states import OPEN, REACHED_FROM, RepaymentState

SENT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
QUIET = timedelta(minutes=15)
AMOUNT = Decimal("500.00")


def _read(minutes: float, paid: str | None) -> PaidReading:
    return PaidReading(SENT + timedelta(minutes=minutes), _amount(paid))


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1000", "1500", Effect.SEEN),
        ("1000", "1500.00", Effect.SEEN),
        ("1000", "1499.99", Effect.PARTLY),
        ("1000", "1000.01", Effect.PARTLY),
        ("1000", "1500.01", Effect.MORE),
        ("1000", "2000", Effect.MORE),
        ("1000", "1000", Effect.NOT_YET),
        ("1000", "900", Effect.NOT_YET),
        (None, "1500", Effect.UNREADABLE),
        ("1000", None, Effect.UNREADABLE),
        (None, None, Effect.UNREADABLE),
    ],
)
def test_effect(before: str | None, after: str | None, expected: Effect) -> None:
    assert effect(_amount(before), _amount(after), AMOUNT) == expected


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([], RepaymentState.UNKNOWN),
        ([(1, "1500")], RepaymentState.PRESUMED),
        ([(1, "1000"), (2, "1500")], RepaymentState.PRESUMED),
        ([(1, "1500"), (2, "2000")], RepaymentState.UNKNOWN),
        ([(1, "1400")], RepaymentState.UNKNOWN),
        ([(1, "1000"), (2, "1000")], RepaymentState.UNKNOWN),
        ([(14, "1000"), (15, "1000")], RepaymentState.UNKNOWN),
        ([(15, "1000")], RepaymentState.UNKNOWN),
        ([(15, "1000"), (16, "1000")], RepaymentState.NOT_FOUND),
        ([(15, "1000"), (16, None)], RepaymentState.UNKNOWN),
        ([(15, None), (16, "1000")], RepaymentState.UNKNOWN),
        ([(15, "1000"), (16, "1400")], RepaymentState.UNKNOWN),
        ([(15, None), (16, "1000"), (17, "1000")], RepaymentState.NOT_FOUND),
    ],
)
def test_conclusion_from_looks(
    looks: list[tuple[int, str | None]], expected: RepaymentState
) -> None:
    taken = [_read(at, paid) for at, paid in looks]
    assert conclude(_read(-1, "1000"), taken, AMOUNT, SENT + QUIET, ()) == expected


def test_nothing_is_concluded_without_a_baseline() -> None:
    looks = [_read(at, "1000") for at in (20, 21, 22)]
    assert conclude(None, looks, AMOUNT, SENT + QUIET, ()) == RepaymentState.UNKNOWN
    assert conclude(_read(-1, None), looks, AMOUNT, SENT + QUIET, ()) == RepaymentState.UNKNOWN


def _other(sent: float, before: str | None, amount: str | None, **fields: bool) -> OtherRepayment:
    """Another repayment, sent so many minutes after this one's sending; landed, unless said."""
    at = SENT + timedelta(minutes=sent)
    usual = {"is_landed": True} | fields
    return OtherRepayment(at, _amount(before), _amount(amount), **usual)


MAYBE = {"is_landed": False}
LONG_AGO = {"may_be_late": False}


@pytest.mark.parametrize(
    ("rise", "others", "expected"),
    [
        # Nothing else on the loan.
        ("500", [], Effect.SEEN),
        ("0", [], Effect.NOT_YET),
        ("-5", [], Effect.NOT_YET),
        ("600", [], Effect.MORE),
        ("400", [], Effect.PARTLY),
        # Sent before, and shown by the baseline or not.
        ("500", [_other(-9, "500", "500")], Effect.SEEN),
        ("500", [_other(-9, "1000", "500")], Effect.EXPLAINED),
        ("500", [_other(-9, "1000", "200")], Effect.PARTLY),
        ("700", [_other(-9, "1000", "200")], Effect.SEEN),
        ("500", [_other(-9, "1000", "500", **LONG_AGO)], Effect.SEEN),
        ("500", [_other(-9, None, "500")], Effect.EXPLAINED),
        # Two sent before, of which the baseline shows one.
        ("500", [_other(-9, "500", "500"), _other(-8, "500", "500")], Effect.EXPLAINED),
        # What somebody else had paid hides nothing that was sent after it.
        ("500", [_other(-9, "0", "500"), _other(-8, "1000", "500")], Effect.EXPLAINED),
        # Sent after.
        ("500", [_other(2, "1000", "500")], Effect.EXPLAINED),
        ("1000", [_other(2, "1000", "500")], Effect.SEEN),
        ("1500", [_other(2, "1000", "500")], Effect.MORE),
        # Sent after the reading: it can't have moved it.
        ("500", [_other(30, "1500", "500")], Effect.SEEN),
        # Nobody knows whether the other one is there.
        ("500", [_other(-9, "1000", "500", **MAYBE)], Effect.CONTESTED),
        ("500", [_other(-9, "1000", "200", **MAYBE)], Effect.SEEN),
        (
            "500",
            [_other(-9, "1000", "200", **MAYBE), _other(-8, "1000", "300", **MAYBE)],
            Effect.CONTESTED,
        ),
        ("1000", [_other(-9, "1000", "500", **MAYBE)], Effect.MORE),
        ("0", [_other(-9, "1000", "500", **MAYBE)], Effect.NOT_YET),
        # In another currency nobody knows what it moves.
        ("500", [_other(2, "1000", None)], Effect.CONTESTED),
        ("500", [_other(-9, "1000", None)], Effect.CONTESTED),
        ("500", [_other(-9, "800", None)], Effect.SEEN),
        ("500", [_other(-9, "1000", None, **MAYBE)], Effect.CONTESTED),
        ("500", [_other(-9, "1000", "1", **MAYBE)] * 11, Effect.CONTESTED),
    ],
)
def test_a_rise_speaks_for_one_repayment(
    rise: str, others: list[OtherRepayment], expected: Effect
) -> None:
    before, after = _read(0, "1000"), _read(10, str(1000 + int(rise)))
    assert attribute(before, after, AMOUNT, others) == expected


def test_what_is_paid_in_another_currency_is_compared_with_no_rise() -> None:
    assert attribute(_read(0, "1000"), _read(1, "1500"), None, ()) == Effect.UNREADABLE
    assert attribute(_read(0, "1000"), _read(1, "1000"), None, ()) == Effect.NOT_YET


_AMOUNTS = st.sampled_from([Decimal(100), Decimal(200), Decimal(300)])


@given(
    st.lists(st.tuples(_AMOUNTS, st.sampled_from(["before", "after", "never"])), max_size=5),
    _AMOUNTS,
    st.booleans(),
)
def test_what_is_presumed_fits_into_what_is_left(
    landed: list[tuple[Decimal, str]], amount: Decimal, is_there: bool
) -> None:
    """Landed ones show before the baseline, after it or never; a presumption needs its own."""
    paid, others = Decimal(1000), []
    for number, (one, _) in enumerate(landed):
        at = SENT - timedelta(minutes=60 - number)
        others.append(OtherRepayment(at, Decimal(1000), one, is_landed=True))
        paid += one if landed[number][1] == "before" else 0
    before = PaidReading(SENT, paid)
    late = sum((one for one, shows in landed if shows == "after"), Decimal(0))
    after = PaidReading(SENT + timedelta(minutes=1), paid + late + (amount if is_there else 0))
    if attribute(before, after, amount, others) == Effect.SEEN:
        total = sum((one for one, _ in landed), Decimal(0)) + amount
        assert total <= after.paid - 1000  # type: ignore[operator]


@given(
    st.decimals(min_value=0, max_value=10**12, places=2),
    st.decimals(min_value="0.01", max_value=10**9, places=2),
    st.decimals(min_value=-(10**6), max_value=10**12, places=2),
)
def test_effect_names_every_rise_once(before: Decimal, amount: Decimal, rise: Decimal) -> None:
    named = effect(before, before + rise, amount)
    assert named == (
        Effect.NOT_YET
        if rise <= 0
        else Effect.SEEN
        if rise == amount
        else Effect.PARTLY
        if rise < amount
        else Effect.MORE
    )


def test_what_is_final_is_left_only_by_the_service_s_own_word() -> None:
    for state in (RepaymentState.REFUSED, RepaymentState.NOT_SENT, RepaymentState.RESOLVED):
        left_for = {to for to, sources in REACHED_FROM.items() if state in sources}
        assert left_for == {RepaymentState.RECORDED}, state
    assert not any(RepaymentState.RECORDED in sources for sources in REACHED_FROM.values())


def test_only_machinery_before_the_answer_reaches_unknown() -> None:
    assert REACHED_FROM[RepaymentState.UNKNOWN] == (RepaymentState.SENT,)
    assert REACHED_FROM[RepaymentState.SENT] == (RepaymentState.PENDING,)
    assert set(OPEN) == {RepaymentState.PENDING, RepaymentState.SENT, RepaymentState.UNKNOWN}
