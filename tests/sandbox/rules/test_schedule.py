"""Instalments on a reducing balance (Spec: LendingContract)."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.rules.schedule import Style, amortise, compute_annuity, cut_slots

D = Decimal
START = date(2026, 1, 15)


def test_slots_follow_each_other_without_a_gap() -> None:
    found = cut_slots(START, 90, 30)
    assert [(slot.first, slot.last) for slot in found] == [
        (date(2026, 1, 15), date(2026, 2, 13)),
        (date(2026, 2, 14), date(2026, 3, 15)),
        (date(2026, 3, 16), date(2026, 4, 14)),
    ]


def test_the_last_slot_may_be_shorter() -> None:
    assert [slot.days for slot in cut_slots(START, 75, 30)] == [30, 30, 15]
    assert [slot.days for slot in cut_slots(START, 10, 30)] == [10]


@pytest.mark.parametrize(
    ("principal", "rate", "count", "level"),
    [
        # P·r / (1 − (1 + r)^−n) in exact fractions, rounded once.
        ("1000", "0.01", 12, "88.85"),
        ("1200", "0.0246575342465753", 6, "217.61"),
        ("250000", "0.004", 360, "1311.66"),
        ("999.99", "0.05", 3, "367.20"),
        ("100", "0", 3, "33.33"),
    ],
)
def test_the_level_instalment(principal: str, rate: str, count: int, level: str) -> None:
    assert compute_annuity(D(principal), D(rate), count) == D(level)


def test_an_annuity_worked_out_by_hand() -> None:
    # 1,000 at 12 % a year, every 30 days: periodic rate 0.12 × 30/365 = 0.009863; level 339.93.
    parts = amortise(Style.TERM, D(1000), D("0.12"), cut_slots(START, 90, 30))
    assert [(part.principal, part.interest) for part in parts] == [
        (D("330.07"), D("9.86")),
        (D("333.32"), D("6.61")),
        (D("336.61"), D("3.32")),
    ]


def test_flex_repays_equal_parts_and_its_instalments_fall() -> None:
    parts = amortise(Style.FLEX, D(1000), D("0.365"), cut_slots(START, 30, 10))
    assert [(part.principal, part.interest) for part in parts] == [
        (D("333.33"), D("10.00")),
        (D("333.33"), D("6.67")),
        (D("333.34"), D("3.33")),
    ]


def test_bullet_asks_for_everything_at_the_end() -> None:
    (part,) = amortise(Style.BULLET, D(1000), D("0.365"), cut_slots(START, 30, 30))
    assert (part.principal, part.interest) == (D(1000), D("30.00"))
    assert part.slot.last == START + timedelta(days=29)


@given(
    style=st.sampled_from(Style),
    principal=st.decimals("0.01", "99999999.99", places=2),
    nominal=st.decimals(0, 5, places=4),
    period=st.integers(1, 800),
    interval=st.integers(1, 90),
)
def test_principal_sums_to_the_cent_and_no_part_is_negative(
    style: Style, principal: Decimal, nominal: Decimal, period: int, interval: int
) -> None:
    dates = cut_slots(START, period, interval)
    parts = amortise(style, principal, nominal, dates)
    assert sum(part.principal for part in parts) == principal
    assert all(part.principal >= 0 and part.interest >= 0 for part in parts)
    assert parts[-1].slot.last == START + timedelta(days=period - 1)
    balance = principal
    for part in parts:
        assert part.interest == round(balance * nominal * part.slot.days / 365 + D("1e-20"), 2)
        balance -= part.principal
