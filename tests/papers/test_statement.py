"""Statements of random loans against an adder of their own: to the cent, in both directions."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.papers.statement import (
    UNEXPLAINED,
    Balance,
    LineKind,
    NoReading,
    Recorded,
    Statement,
    build_statement,
)

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOW = 2_000
CENTS = st.integers(1, 5_000_000).map(lambda cents: Decimal(cents) / 100)
HOURS = st.integers(1, NOW - 30)


class Happening(NamedTuple):
    """What the service did at an hour: it moved `paid`, or `total`."""

    at: int
    paid: Decimal = Decimal(0)
    total: Decimal = Decimal(0)


LENT = Happening(0, total=Decimal(500))


class History(NamedTuple):
    """The truth of a loan that no statement is given, and what the dashboard saw of it."""

    happenings: list[Happening]
    recorded: list[Recorded]
    readings: list[int]
    others: list[tuple[int, Decimal]]

    def at(self, hour: float) -> tuple[Decimal, Decimal]:
        """What was paid and what was charged by an hour."""
        past = [one for one in self.happenings if one.at <= hour]
        return sum((one.paid for one in past), Decimal(0)), sum(
            (one.total for one in past), Decimal(0)
        )

    def read(self, hour: float, *, until: float | None = None, known: bool = True) -> Balance:
        paid, total = self.at(hour)
        last = hour if until is None else until
        return Balance(_time(hour), _time(last), paid, total if known else None)


def _time(hour: float) -> datetime:
    return BEGAN + hour * HOUR


@st.composite
def histories(draw: st.DrawFn, *, others: int = 6, shows_late: bool = True) -> History:
    """A loan, repayments that show within a day, and what was paid or charged otherwise."""
    happenings = [Happening(0, total=draw(CENTS))]
    recorded = []
    for key, hour in enumerate(draw(st.lists(HOURS, max_size=8))):
        amount, delay = draw(CENTS), draw(st.integers(0, 23)) if shows_late else 0
        # Between two hours, so that no reading is taken at the very moment.
        recorded.append(Recorded(key, _time(hour - 0.5), amount))
        happenings.append(Happening(hour + delay, paid=amount))
    # No sum of them is a sum of recorded cents, which a rise could not be told from.
    odd = CENTS.map(lambda cents: cents + Decimal("0.001"))
    found = draw(st.lists(st.tuples(HOURS, odd), max_size=others))
    happenings += [Happening(hour, paid=amount) for hour, amount in found]
    added = draw(st.lists(st.tuples(HOURS, CENTS), max_size=4))
    happenings += [Happening(hour, total=amount) for hour, amount in added]
    readings = draw(st.lists(HOURS, max_size=12, unique=True))
    return History(happenings, recorded, sorted(readings), found)


def make(
    history: History, since: datetime | None = None, until: datetime | None = None
) -> Statement:
    _, total = history.at(NOW)
    third = (total / 3).quantize(Decimal("0.01"))
    parts = [
        (LineKind.PRINCIPAL, third),
        (LineKind.INTEREST, third),
        (LineKind.FEES, total - 2 * third),
    ]
    readings = [history.read(hour, known=hour % 3 > 0) for hour in history.readings]
    return build_statement(
        BEGAN, readings, history.read(NOW), parts, history.recorded, since, until
    )


def add_up(statement: Statement) -> int:
    """The closing balance in thousandths, by integers: nothing is shared with the product."""
    thousandths = [int(statement.opening * 1000)]
    thousandths += [int(line.amount * 1000) for line in statement.lines]
    return sum(thousandths)


@given(histories())
def test_a_statement_of_the_whole_loan_adds_up_to_the_balances_of_the_service(
    history: History,
) -> None:
    statement = make(history)
    paid, total = history.at(NOW)
    assert (statement.opening, statement.begins) == (0, None)
    assert add_up(statement) == int((total - paid) * 1000) == int(statement.closing * 1000)
    repaid = [line for line in statement.lines if line.kind == LineKind.REPAYMENT]
    assert sorted((one.key, -one.amount) for one in repaid) == sorted(
        (one.key, one.amount) for one in history.recorded
    )


@given(histories(), HOURS, HOURS)
def test_a_statement_of_a_period_adds_up_between_two_readings(
    history: History, one: int, other: int
) -> None:
    since, until = sorted((one, other))
    known = [hour for hour in history.readings if hour % 3 > 0]
    try:
        statement = make(history, _time(since), _time(until + 0.25))
    except NoReading:
        assert not any(hour <= until for hour in known)
        return
    last = max(hour for hour in known if hour <= until)
    paid, total = history.at(last)
    assert statement.ends == _time(last)
    assert add_up(statement) == int((total - paid) * 1000) == int(statement.closing * 1000)
    assert statement.begins is not None
    first = (statement.begins - BEGAN) / HOUR
    paid, total = history.at(first)
    assert statement.opening == total - paid
    assert statement.is_late == (first > since)


@given(histories(others=0))
def test_nothing_is_unexplained_where_all_is_recorded(history: History) -> None:
    assert not any(line.kind in UNEXPLAINED for line in make(history).lines)


@given(histories())
def test_what_is_unexplained_is_what_others_paid(history: History) -> None:
    statement = make(history)
    others = sum((amount for _, amount in history.others), Decimal(0))
    assert statement.unexplained == -others
    assert bool(others) == any(line.kind in UNEXPLAINED for line in statement.lines)
    # All of it appeared in the time that a line names.
    for line in statement.lines:
        if line.kind in UNEXPLAINED:
            assert line.since and line.until
            assert any(line.since <= _time(hour) <= line.until for hour, _ in history.others)


@given(histories(shows_late=False), HOURS)
def test_what_is_unexplained_of_a_period_is_what_others_paid_in_it(
    history: History, since: int
) -> None:
    statement = make(history, _time(since))
    first = 0.0 if statement.begins is None else (statement.begins - BEGAN) / HOUR
    others = sum((amount for hour, amount in history.others if hour > first), Decimal(0))
    assert statement.unexplained == -others


def test_a_repayment_that_never_shows_is_named() -> None:
    """The service gives 60 of 100: the rest is named, and later money is not taken for it."""
    history = History(
        [LENT, Happening(10, paid=Decimal(60)), Happening(200, paid=Decimal(40))],
        [Recorded(7, _time(9), Decimal(100))],
        [8, 11, 100],
        [],
    )
    found = [(one.kind, one.amount, one.key) for one in make(history).lines]
    assert found[3:] == [
        (LineKind.REPAYMENT, -100, 7),
        (LineKind.UNCOUNTED, 40, 7),
        (LineKind.OTHER, -40, None),
    ]


def test_what_a_person_decided_may_show_at_any_time() -> None:
    history = History(
        [LENT, Happening(200, paid=Decimal(40))],
        [Recorded(7, _time(9), Decimal(40), is_late=True)],
        [8, 11, 100, 150],
        [],
    )
    assert [one.kind for one in make(history).lines[3:]] == [LineKind.REPAYMENT]


def test_a_fall_of_what_is_paid_is_named_with_its_time() -> None:
    history = History(
        [LENT, Happening(10, paid=Decimal(60)), Happening(20, paid=Decimal(-60))],
        [Recorded(7, _time(9), Decimal(60))],
        [11, 30],
        [],
    )
    [line] = [one for one in make(history).lines if one.kind in UNEXPLAINED]
    assert (line.kind, line.amount, line.since, line.until) == (
        LineKind.FELL,
        60,
        _time(11),
        _time(30),
    )


@pytest.mark.parametrize(
    ("others", "shows_at", "spans"),
    [
        # Of 40 at the first reading, all may be the repayment of 100, which shows later.
        ("40", 20, [(8, NOW)]),
        # Of 110, the repayment may be none: it shows later, and 110 were of others.
        ("110", 20, [(8, 11), (8, NOW)]),
        # All of it is the repayment: others paid after the first reading.
        ("0", 11, [(11, NOW)]),
    ],
)
def test_the_time_of_an_unexplained_line_begins_before_any_doubt(
    others: str, shows_at: int, spans: list[tuple[int, int]]
) -> None:
    later = Decimal(7) if others == "0" else Decimal(0)
    history = History(
        [
            *(LENT, Happening(10, paid=Decimal(others))),
            *(Happening(shows_at, paid=Decimal(100)), Happening(15, paid=later)),
        ],
        [Recorded(7, _time(9), Decimal(100))],
        [8, 11],
        [],
    )
    found = [one for one in make(history).lines if one.kind == LineKind.OTHER]
    assert [(one.since, one.until) for one in found] == [
        (_time(since), _time(until)) for since, until in spans
    ]


def test_a_repayment_that_shows_after_the_opening_belongs_to_the_period() -> None:
    history = History(
        [LENT, Happening(20, paid=Decimal(60))],
        [Recorded(7, _time(9), Decimal(60))],
        [10],
        [],
    )
    statement = make(history, _time(10))
    assert (statement.opening, statement.closing) == (500, 440)
    assert [(one.kind, one.amount) for one in statement.lines] == [(LineKind.REPAYMENT, -60)]


def test_a_reading_of_an_update_with_a_repayment_inside_is_left_out() -> None:
    """Whether the update read the loan before or after the repayment is not known."""
    history = History(
        [LENT, Happening(10, paid=Decimal(60))],
        [Recorded(7, _time(9), Decimal(60))],
        [],
        [],
    )
    update = history.read(8, until=12)
    statement = build_statement(
        BEGAN,
        [history.read(9.5), history.read(10.5), update],
        history.read(NOW),
        [],
        history.recorded,
    )
    assert not any(one.kind in UNEXPLAINED for one in statement.lines)
    quiet = history.read(100, until=104)
    statement = build_statement(
        BEGAN, [quiet], history.read(NOW), [], history.recorded, since=_time(104)
    )
    assert statement.begins == quiet.since


def test_nothing_is_said_of_a_period_without_a_reading() -> None:
    history = History([LENT], [], [50], [])
    with pytest.raises(NoReading):
        make(history, until=_time(40))


def test_a_statement_that_begins_now_has_no_lines() -> None:
    history = History([LENT], [], [], [])
    statement = make(history, _time(1))
    assert (statement.lines, statement.opening, statement.closing) == ((), 500, 500)
    assert statement.is_late
