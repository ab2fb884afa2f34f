"""Schedules over one another: where things lie, by a table of cases."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.web.display.charts import Plot, draw_schedules


def instalment(day: object, **amounts: object) -> SimpleNamespace:
    """One that is due on a day (`2026-12-31`), at its end in UTC; anything else as it is."""
    due = datetime.fromisoformat(f"{day}T23:59:59.999+00:00") if isinstance(day, str) else day
    exact = {key: Decimal(value) if isinstance(value, int) else value
             for key, value in amounts.items()}  # fmt: skip
    return SimpleNamespace(due_date=due, amounts=SimpleNamespace(**exact))


def drawn(*schedules: object, **options: Any) -> list[Plot]:
    """The pictures of schedules named A, B, …"""
    pictures = draw_schedules(_named(schedules), **options)
    assert [name for name, _ in pictures] == [name for name, _ in _named(schedules)]
    return [plot for _, plot in pictures]


def _named(schedules: Sequence[object]) -> list[tuple[str, object]]:
    return [(chr(ord("A") + place), rows) for place, rows in enumerate(schedules)]


JAN = instalment("2027-01-01", principal=60, interest=30, fees=10)
FEB = instalment("2027-02-01", principal=50)


@pytest.mark.parametrize(
    "schedules",
    [
        [],
        [[]],
        [None],
        ["2027-01-01"],
        [5],
        [[None, "x", 7]],
        [[instalment(None, principal=10)]],
        [[instalment("2027-01-01")]],
        [[instalment("2027-01-01", principal=0)]],
        [[instalment("2027-01-01", principal=-10)]],
        [[instalment("2027-01-01", principal="ten", repayment=None)]],
        [[SimpleNamespace(due_date=datetime(2027, 1, 1, tzinfo=UTC), amounts=None)]],
    ],
)
def test_without_a_day_and_an_amount_there_is_no_picture(schedules: list[object]) -> None:
    assert draw_schedules(_named(schedules)) == []


@pytest.mark.parametrize(
    ("rows", "stacked"),
    [
        # From the bottom up; the highest is 80 high, and the ground lies at 88.
        ([JAN],
         [("principal", "40.0", "48.0"), ("interest", "16.0", "24.0"), ("fees", "8.0", "8.0")]),
        ([instalment("2027-01-01", fees=100)], [("fees", "8.0", "80.0")]),
        ([instalment("2027-01-01", principal=100, penalty=-50)], [("principal", "8.0", "80.0")]),
        ([instalment("2027-01-01", principal=100, interest="x")], [("principal", "8.0", "80.0")]),
        # What is to be repaid beyond the parts that are told.
        ([instalment("2027-01-01", repayment=100)], [("other", "8.0", "80.0")]),
        ([instalment("2027-01-01", repayment=100, principal=60)],
         [("principal", "40.0", "48.0"), ("other", "8.0", "32.0")]),
        ([instalment("2027-01-01", repayment=60, principal=100)], [("principal", "8.0", "80.0")]),
    ],
)  # fmt: skip
def test_an_instalment_is_its_parts_on_one_another(
    rows: list[object], stacked: list[tuple[str, str, str]]
) -> None:
    (plot,) = drawn(rows)
    (bar,) = plot.bars
    assert plot.baseline == 88
    assert [(part.kind, part.y, part.height) for part in bar.segments] == stacked


def test_all_lie_on_one_scale_of_days() -> None:
    first, second = drawn([JAN, FEB], [instalment("2027-01-17", principal=1)])
    assert [bar.x for bar in first.bars] == ["0.0", "96.0"]
    # Sixteen days of thirty-one, of the 96 that a day may lie on.
    assert [bar.x for bar in second.bars] == ["49.5"]
    assert {bar.width for plot in (first, second) for bar in plot.bars} == {"4.0"}


def test_all_have_one_scale_of_amounts() -> None:
    plots = drawn([JAN], [FEB], currency="KES")
    heights = [plot.bars[0].segments for plot in plots]
    assert [sum(float(part.height) for part in parts) for parts in heights] == [80.0, 40.0]
    for plot in plots:
        assert [(line.y, line.label, line.exact) for line in plot.lines] == [
            ("8.0", "100", "KES 100.00")
        ]


def test_each_has_a_picture_below_the_one_before() -> None:
    plots = drawn([JAN], None, [FEB])
    assert [(one.baseline, one.height) for one in plots] == [(88, 88), (88, 88), (88, 110)]
    assert [len(one.bars) for one in plots] == [1, 0, 1]


@pytest.mark.parametrize(
    ("rows", "ticks"),
    [
        ([JAN, FEB], [("0", "1 Jan 2027", "start"), ("100", "1 Feb 2027", "end")]),
        ([FEB, JAN], [("0", "1 Jan 2027", "start"), ("100", "1 Feb 2027", "end")]),
        ([JAN], [("0", "1 Jan 2027", "start")]),
        ([JAN, JAN], [("0", "1 Jan 2027", "start")]),
    ],
)
def test_the_first_and_the_last_day_are_named(
    rows: list[object], ticks: list[tuple[str, str, str]]
) -> None:
    above, last = drawn(rows, rows)
    assert not above.labels
    assert [(tick.x, tick.text, tick.anchor) for tick in last.labels] == ticks


def test_many_instalments_are_narrow_enough_to_stand_apart() -> None:
    rows = [instalment(f"20{27 + n // 12}-{n % 12 + 1:02}-01", principal=1) for n in range(24)]
    (plot,) = drawn(rows)
    lefts = [float(bar.x) for bar in plot.bars]
    width = float(plot.bars[0].width)
    assert len(lefts) == 24 and lefts == sorted(lefts)
    assert all(right - left > width for left, right in pairwise(lefts))
    assert lefts[-1] + width <= 100


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([JAN], ("principal", "interest", "fees")),
        ([FEB], ("principal",)),
        ([instalment("2027-01-01", penalty=5, repayment=9)], ("penalty", "other")),
    ],
)
def test_the_legend_names_what_is_there(rows: list[object], kinds: tuple[str, ...]) -> None:
    assert drawn(rows)[0].kinds == kinds


def test_the_hover_says_day_and_sum() -> None:
    (plot,) = drawn([JAN, instalment("2027-02-01", repayment=123456789012)], currency="KES")
    expected = [("1 Jan 2027", "100.00"), ("1 Feb 2027", "123,456,789,012.00")]
    assert [bar.title for bar in plot.bars] == [f"A, {day}: {total}" for day, total in expected]


def test_a_day_that_ends_in_utc_is_that_day_whatever_the_zone() -> None:
    (plot,) = drawn([JAN], zone=ZoneInfo("Africa/Nairobi"))
    assert plot.bars[0].title.removeprefix("A, ").startswith("1 Jan 2027")
