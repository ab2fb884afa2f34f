"""The pure rules: what balances say of a repayment, and when that is enough to conclude."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.repayments.evidence import Effect, Look, conclude, effect, next_delay
from lendingadmin.repayments.states import OPEN, REACHED_FROM, State

SENT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
QUIET = timedelta(minutes=15)
AMOUNT = Decimal("500.00")


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
        ([], State.UNKNOWN),
        ([(1, "1500")], State.INFERRED),
        ([(1, "1000"), (2, "1500")], State.INFERRED),
        ([(1, "1500"), (2, "2000")], State.UNKNOWN),
        ([(1, "1400")], State.UNKNOWN),
        ([(1, "1000"), (2, "1000")], State.UNKNOWN),
        ([(14, "1000"), (15, "1000")], State.UNKNOWN),
        ([(15, "1000")], State.UNKNOWN),
        ([(15, "1000"), (16, "1000")], State.NO_TRACE),
        ([(15, "1000"), (16, None)], State.UNKNOWN),
        ([(15, None), (16, "1000")], State.UNKNOWN),
        ([(15, "1000"), (16, "1400")], State.UNKNOWN),
        ([(15, None), (16, "1000"), (17, "1000")], State.NO_TRACE),
    ],
)
def test_conclusion_from_looks(looks: list[tuple[int, str | None]], expected: State) -> None:
    taken = [Look(SENT + timedelta(minutes=at), _amount(paid)) for at, paid in looks]
    assert conclude(Decimal(1000), taken, AMOUNT, SENT, QUIET) == expected


def test_nothing_is_concluded_without_a_baseline() -> None:
    looks = [Look(SENT + timedelta(minutes=at), Decimal(1000)) for at in (20, 21, 22)]
    assert conclude(None, looks, AMOUNT, SENT, QUIET) == State.UNKNOWN


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


def test_looks_come_close_at_first_and_ever_wider() -> None:
    soon = [next_delay(n, timedelta(seconds=n)).total_seconds() for n in range(5)]
    assert soon == [1, 2, 4, 8, 15]
    assert next_delay(20, timedelta(minutes=1)) == timedelta(seconds=15)
    assert next_delay(20, timedelta(minutes=30)) == timedelta(minutes=1)
    assert next_delay(20, timedelta(hours=20)) == timedelta(minutes=5)


def test_what_is_final_is_left_only_by_the_service_s_own_word() -> None:
    for state in (State.REFUSED, State.NOT_SENT, State.SETTLED):
        left_for = {to for to, sources in REACHED_FROM.items() if state in sources}
        assert left_for == {State.RECORDED}, state
    assert not any(State.RECORDED in sources for sources in REACHED_FROM.values())


def test_only_machinery_before_the_answer_reaches_unknown() -> None:
    assert REACHED_FROM[State.UNKNOWN] == (State.SENT,)
    assert REACHED_FROM[State.SENT] == (State.PENDING,)
    assert set(OPEN) == {State.PENDING, State.SENT, State.UNKNOWN}


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
