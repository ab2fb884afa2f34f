"""Schedules over one another: where things lie, by a table of cases."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.display.overlay import Overlay, overlay


def instalment(day: object, **amounts: object) -> SimpleNamespace:
    """One that is due on a day (`2026-12-31`), at its end in UTC; anything else as it is."""
    due = datetime.fromisoformat(f"{day}T23:59:59.999+00:00") if isinstance(day, str) else day
    exact = {key: Decimal(value) if isinstance(value, int) else value
             for key, value in amounts.items()}  # fmt: skip
    return SimpleNamespace(due_date=due, amounts=SimpleNamespace(**exact))


def drawn(*schedules: object, **options: Any) -> Overlay:
    """The picture of schedules named A, B, …, on a plot that starts at 14 and ends at 156."""
    picture = overlay(_named(schedules), width=200, **options)
    assert picture
    return picture


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
    assert overlay(_named(schedules)) is None


@pytest.mark.parametrize(
    ("rows", "stacked"),
    [
        # From the bottom up; the highest is 60 high, and the ground lies at 84.
        ([JAN],
         [("principal", "48.0", "36.0"), ("interest", "30.0", "18.0"), ("fees", "24.0", "6.0")]),
        ([instalment("2027-01-01", fees=100)], [("fees", "24.0", "60.0")]),
        ([instalment("2027-01-01", principal=100, penalty=-50)], [("principal", "24.0", "60.0")]),
        ([instalment("2027-01-01", principal=100, interest="x")], [("principal", "24.0", "60.0")]),
        # What is to be repaid beyond the parts that are told.
        ([instalment("2027-01-01", repayment=100)], [("other", "24.0", "60.0")]),
        ([instalment("2027-01-01", repayment=100, principal=60)],
         [("principal", "48.0", "36.0"), ("other", "24.0", "24.0")]),
        ([instalment("2027-01-01", repayment=60, principal=100)], [("principal", "24.0", "60.0")]),
    ],
)  # fmt: skip
def test_an_instalment_is_its_parts_on_one_another(
    rows: list[object], stacked: list[tuple[str, str, str]]
) -> None:
    (band,) = drawn(rows).bands
    (pile,) = band.piles
    assert [(part.kind, part.y, part.height) for part in pile.segments] == stacked


def test_all_lie_on_one_scale_of_days() -> None:
    picture = drawn([JAN, FEB], [instalment("2027-01-17", principal=1)])
    first, second = picture.bands
    assert [pile.x for pile in first.piles] == ["14.0", "130.0"]
    # Sixteen days of thirty-one, of the 116 that a day may lie on.
    assert [pile.x for pile in second.piles] == ["73.9"]
    assert {pile.width for band in picture.bands for pile in band.piles} == {"26.0"}


def test_all_have_one_scale_of_amounts() -> None:
    picture = drawn([JAN], [FEB])
    heights = [band.piles[0].segments for band in picture.bands]
    assert [sum(float(part.height) for part in parts) for parts in heights] == [60.0, 30.0]
    assert (picture.top_label, picture.top_label_x) == ("100", "162.0")


def test_each_has_a_band_below_the_one_before() -> None:
    picture = drawn([JAN], None, [FEB])
    assert [(one.name, one.top, one.baseline) for one in picture.bands] == [
        ("A", "22.0", "84.0"),
        ("B", "106.0", "168.0"),
        ("C", "190.0", "252.0"),
    ]
    assert [len(one.piles) for one in picture.bands] == [1, 0, 1]
    assert (picture.width, picture.height) == (200, 272)


@pytest.mark.parametrize(
    ("rows", "ticks"),
    [
        ([JAN, FEB], [("14.0", "1 Jan 2027", "start"), ("156.0", "1 Feb 2027", "end")]),
        ([FEB, JAN], [("14.0", "1 Jan 2027", "start"), ("156.0", "1 Feb 2027", "end")]),
        ([JAN], [("14.0", "1 Jan 2027", "start")]),
        ([JAN, JAN], [("14.0", "1 Jan 2027", "start")]),
    ],
)
def test_the_first_and_the_last_day_are_named(
    rows: list[object], ticks: list[tuple[str, str, str]]
) -> None:
    assert [(tick.x, tick.label, tick.anchor) for tick in drawn(rows).ticks] == ticks


def test_many_instalments_are_narrow_enough_to_stand_apart() -> None:
    rows = [instalment(f"20{27 + n // 12}-{n % 12 + 1:02}-01", principal=1) for n in range(24)]
    (band,) = drawn(rows).bands
    lefts = [float(pile.x) for pile in band.piles]
    width = float(band.piles[0].width)
    assert len(lefts) == 24 and lefts == sorted(lefts)
    assert all(right - left > width for left, right in pairwise(lefts))
    assert lefts[-1] + width <= float(drawn(rows).plot_end)


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([JAN], ("principal", "interest", "fees")),
        ([FEB], ("principal",)),
        ([instalment("2027-01-01", penalty=5, repayment=9)], ("penalty", "other")),
    ],
)
def test_the_legend_names_what_is_there(rows: list[object], kinds: tuple[str, ...]) -> None:
    assert drawn(rows).kinds == kinds


def test_the_hover_says_day_and_sum() -> None:
    picture = drawn([JAN, instalment("2027-02-01", repayment=123456789012)], currency="KES")
    assert [pile.title for pile in picture.bands[0].piles] == [
        "1 Jan 2027: 100.00",
        "1 Feb 2027: 123,456,789,012.00",
    ]


def test_a_day_that_ends_in_utc_is_that_day_whatever_the_zone() -> None:
    picture = drawn([JAN], zone=ZoneInfo("Africa/Nairobi"))
    assert picture.bands[0].piles[0].title.startswith("1 Jan 2027")


@pytest.mark.parametrize(
    ("name", "label"),
    [("Short loan", "Short loan"), ("x" * 22, "x" * 22), ("x" * 23, "x" * 21 + "…")],
)
def test_a_name_is_cut_where_its_room_ends(name: str, label: str) -> None:
    picture = overlay([(name, [JAN])], width=200)
    assert picture
    assert (picture.bands[0].label, picture.bands[0].name) == (label, name)
