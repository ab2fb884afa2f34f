"""What is owed, late and paid (Spec: LoanBalances; the order is this service's choice)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.rules.accounts import (
    FEES,
    INTEREST,
    PENALTY,
    PRINCIPAL,
    Arrears,
    Line,
    Payment,
    charge,
    clear,
    find_oldest_due,
    find_position,
    replay,
    sum_balances,
)

D = Decimal
DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = Arrears(D(0), timedelta(0), D(0))
STRICT = Arrears(D("0.10"), 5 * DAY, D("0.02"))


def lines() -> list[Line]:
    """Three instalments due after 30, 60 and 90 days: fees 5, interest 30/20/10, principal 100."""
    return [
        Line(
            number,
            START + (number - 1) * 30 * DAY,
            START + number * 30 * DAY,
            [D(0), D(5) if number == 1 else D(0), D(interest), D(100)],
        )
        for number, interest in ((1, 30), (2, 20), (3, 10))
    ]


def paid(found: Sequence[Line]) -> list[list[int]]:
    return [[int(amount) for amount in line.paid] for line in found]


def at(day: float) -> datetime:
    return START + day * DAY


@pytest.mark.parametrize(
    ("amount", "day", "expected"),
    [
        # Nothing has fallen due: instalment by instalment, fees, interest, principal.
        (5, 1, [[0, 5, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        (20, 1, [[0, 5, 15, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        (36, 1, [[0, 5, 30, 1], [0, 0, 0, 0], [0, 0, 0, 0]]),
        (140, 1, [[0, 5, 30, 100], [0, 0, 5, 0], [0, 0, 0, 0]]),
        # Two have: fees of both, interest of both, principal of the older, then of the younger.
        (50, 61, [[0, 5, 30, 0], [0, 0, 15, 0], [0, 0, 0, 0]]),
        (60, 61, [[0, 5, 30, 5], [0, 0, 20, 0], [0, 0, 0, 0]]),
        (200, 61, [[0, 5, 30, 100], [0, 0, 20, 45], [0, 0, 0, 0]]),
        # What is left goes to the one still to come.
        (260, 61, [[0, 5, 30, 100], [0, 0, 20, 100], [0, 0, 5, 0]]),
        (365, 61, [[0, 5, 30, 100], [0, 0, 20, 100], [0, 0, 10, 100]]),
    ],
)
def test_the_order_of_clearing(amount: int, day: int, expected: list[list[int]]) -> None:
    found = lines()
    assert clear(found, D(amount), at(day)) == 0
    assert paid(found) == expected


def test_penalties_go_first_oldest_first() -> None:
    account = replay(lines(), STRICT, [Payment(at(66), D(35))])
    # At day 66 the first instalment was charged 10 (35) and 10 (65), the second 10 (65).
    assert [line.owed[PENALTY] for line in account.lines] == [D(20), D(10), D(0)]
    assert [line.paid[PENALTY] for line in account.lines] == [D(20), D(10), D(0)]
    assert [line.paid[FEES] for line in account.lines] == [D(5), D(0), D(0)]


def test_what_is_above_everything_is_left_over() -> None:
    account = replay(lines(), NOTHING, [Payment(at(1), D("365.25"))])
    assert account.excess == D("0.25")
    assert account.resolved_at == at(1)


@pytest.mark.parametrize(
    ("day", "penalty", "fees"),
    [
        (35, 0, 5),  # the grace period ends after five days: at its end, nothing yet
        (35.001, 10, 7),
        (65, 10, 7),
        (65.001, 20 + 10, 7 + 2),
        (3000, 6 * 10 * 3, 5 + 2 * 3),  # six charges for each instalment, and no more
    ],
)
def test_penalties_after_the_grace_period(day: float, penalty: int, fees: int) -> None:
    found = lines()
    charge(found, STRICT, at(day))
    charge(found, STRICT, at(day))
    assert sum(line.owed[PENALTY] for line in found) == penalty
    assert sum(line.owed[FEES] for line in found) == fees


def test_a_penalty_is_on_what_was_overdue_then() -> None:
    account = replay(lines(), STRICT, [Payment(at(32), D(95))])
    charge(account.lines, STRICT, at(36))
    assert account.lines[0].owed[PENALTY] == D("4.00")  # 10 % of the 40 that were left
    on_time = replay(lines(), STRICT, [Payment(at(30), D(135))])
    charge(on_time.lines, STRICT, at(50))
    assert on_time.lines[0].owed[PENALTY] == 0


def test_value_dates_count_and_not_the_order_of_arrival() -> None:
    payments = [Payment(at(50), D(20)), Payment(at(10), D(135)), Payment(at(33), D(7))]
    account = replay(lines(), STRICT, payments)
    assert account.lines == replay(lines(), STRICT, sorted(payments)).lines
    assert account.lines[0].owed[PENALTY] == 0


def test_replay_leaves_what_it_was_given_as_it_was() -> None:
    given_lines = lines()
    replay(given_lines, STRICT, [Payment(at(80), D(200))])
    assert given_lines == lines()


def test_the_last_cent_settles() -> None:
    almost = [Payment(at(1), D("364.99"))]
    assert replay(lines(), NOTHING, almost).resolved_at is None
    whole = [*almost, Payment(at(5), D("0.01"))]
    assert replay(lines(), NOTHING, whole).resolved_at == at(5)


def test_balances_by_hand() -> None:
    account = replay(lines(), NOTHING, [Payment(at(1), D(60))])
    groups = sum_balances(account.lines, at(45))
    assert groups["penalty"] == dict.fromkeys(("due", "paid", "total", "unpaid", "overdue"), D(0))
    assert groups["fees"] == {
        "due": 5, "paid": 5, "total": 5, "unpaid": 0, "overdue": 0,
    }  # fmt: skip
    assert groups["interest"] == {
        "due": 30, "paid": 30, "total": 60, "unpaid": 30, "overdue": 0,
    }  # fmt: skip
    assert groups["principal"] == {
        "due": 100, "paid": 25, "total": 300, "unpaid": 275, "overdue": 75,
    }  # fmt: skip
    assert groups["repayment"] == {
        "due": 135, "paid": 60, "total": 365, "unpaid": 305, "overdue": 75,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("day", "late", "following"),
    [(0, 0, 1), (30, 0, 1), (30.1, 0, 2), (31, 1, 2), (45, 15, 2), (90.5, 60, None)],
)
def test_days_late_and_what_comes_next(day: float, late: int, following: int | None) -> None:
    found = find_position(lines(), NOTHING, at(day))
    assert found.days_late == late
    assert (found.next_line and found.next_line.sequence_no) == following
    assert found.oldest_due == at(30)


def test_a_paid_instalment_is_neither_next_nor_late() -> None:
    account = replay(lines(), NOTHING, [Payment(at(1), D(135))])
    found = find_position(account.lines, NOTHING, at(31))
    assert (found.days_late, found.next_line and found.next_line.sequence_no) == (0, 2)
    assert find_oldest_due(account.lines) == at(60)


payments = st.lists(
    st.tuples(st.integers(0, 400), st.decimals("0.01", "400", places=2)), max_size=12
)


@given(payments=payments, day=st.integers(0, 500))
def test_balances_add_up_after_any_repayments(
    payments: list[tuple[int, Decimal]], day: int
) -> None:
    account = replay(lines(), STRICT, [Payment(at(when), amount) for when, amount in payments])
    groups = find_position(account.lines, STRICT, at(day)).balances
    parts = [groups[name] for name in ("fees", "penalty", "interest", "principal")]
    for key in ("due", "paid", "total", "unpaid", "overdue"):
        assert groups["repayment"][key] == sum(part[key] for part in parts)
    for group in groups.values():
        assert group["total"] == group["paid"] + group["unpaid"]
        assert min(group.values()) >= 0
        assert group["overdue"] <= group["due"] <= group["total"]
        assert group["overdue"] <= group["unpaid"]
    assert groups["repayment"]["paid"] + account.excess == sum(amount for _, amount in payments)
    assert (account.resolved_at is not None) == (groups["repayment"]["unpaid"] == 0)


@given(payments=payments)
def test_nothing_is_paid_before_what_stands_before_it(
    payments: list[tuple[int, Decimal]],
) -> None:
    account = replay(lines(), NOTHING, [Payment(at(when), amount) for when, amount in payments])
    for line in account.lines:
        for kind in (PENALTY, FEES, INTEREST):
            if line.paid[kind] < line.owed[kind]:
                assert not any(line.paid[kind + 1 :])
    for kind in (INTEREST, PRINCIPAL):
        for older, younger in zip(account.lines, account.lines[1:], strict=False):
            if older.paid[kind] < older.owed[kind]:
                assert younger.paid[kind] == 0
