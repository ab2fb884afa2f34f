"""Bars and courses as geometry."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from lendingadmin.web.display.charts import (
    Item,
    Plot,
    draw_bars,
    draw_horizontal_bars,
    draw_line,
    draw_sparkline,
    find_grid,
)

START = datetime(2026, 11, 1, tzinfo=UTC)


def items(*amounts: object) -> list[Item]:
    return [Item(f"n{at}", Decimal(str(x)), "words", "/x") for at, x in enumerate(amounts)]


@pytest.mark.parametrize("amounts", [(), (0, 0), (-5, 0)])
def test_without_an_amount_there_are_no_vertical_bars(amounts: tuple[int, ...]) -> None:
    assert draw_bars(items(*amounts)) is None


def test_vertical_bars_are_as_high_as_their_share_and_stay_inside() -> None:
    drawn = draw_bars(items(10, 5, 0, -3, "0.000001"), height=168)
    assert drawn is not None
    heights = [float(bar.height) for bar in drawn.bars]
    assert heights[0] == 2 * heights[1] == 168 - 22 - 18
    assert heights[2:4] == [0, 0]
    assert heights[4] == 1.5  # what is more than nothing is seen
    for bar in drawn.bars:
        assert float(bar.y) + float(bar.height) == pytest.approx(float(drawn.baseline))
        assert float(bar.x) >= 0 and float(bar.x) + float(bar.width) <= 100


@pytest.mark.parametrize(
    ("width", "sizes"), [(240, [""]), (480, ["", "mid"]), (700, ["", "mid", "wide"])]
)
def test_labels_have_room_and_the_last_one_is_there(width: int, sizes: list[str]) -> None:
    drawn = draw_bars(items(*range(1, 14)))
    assert drawn is not None
    labelled = [bar for bar in drawn.bars if bar.label and bar.size in sizes]
    shown = [float(bar.middle) / 100 * width for bar in labelled]
    assert labelled[-1].label == "n12"
    assert all(after - before >= 44 for before, after in pairwise(shown))
    assert shown[0] >= 22 - 14  # the room beside the plot


@pytest.mark.parametrize(
    ("top", "lines"),
    [("5", [1, 2, 3, 4, 5]), ("999", [200, 400, 600, 800]), ("1.2", ["0.5", "1"]), ("1E+12", 2)],
)
def test_the_grid_is_of_round_amounts(top: str, lines: object) -> None:
    found = find_grid(Decimal(top))
    assert 1 <= len(found) <= 4
    assert found[-1] <= Decimal(top)
    if isinstance(lines, list) and len(lines) <= 4:
        assert found == [Decimal(str(one)) for one in lines]


def test_horizontal_bars_share_a_whole() -> None:
    drawn = draw_horizontal_bars(items("0.25", "1.5", 0), whole=Decimal(1))
    assert [float(length) for _, length in drawn] == [25, 100, 0]
    assert [item.label for item, _ in drawn] == ["n0", "n1", "n2"]
    assert draw_horizontal_bars([]) == ()
    assert {length for _, length in draw_horizontal_bars(items(0, 0))} == {"0.0"}
    assert [length for _, length in draw_horizontal_bars(items(4, 1))] == ["100.0", "25.0"]


def draw_path(corners: list[tuple[str, str]]) -> str:
    """The path of SVG from the first of these corners to the last."""
    return "M" + " L".join(" ".join(corner) for corner in corners)


def line(points: list[tuple[datetime, Decimal]], **options: Any) -> Plot | None:
    """A line 120 high whose plot goes from 12 to 98."""
    return draw_line(
        points,
        height=120,
        write=lambda amount: f"{amount:.0f}",
        write_time=lambda when: f"{when:%Y-%m-%d}",
        **options,
    )


def test_a_line_of_levels_has_a_scale_of_its_own_and_few_dots() -> None:
    points = [(START + timedelta(days=n), Decimal(x)) for n, x in ((2, 30), (0, 50), (1, 100))]
    marks = (Decimal(0), Decimal(50), Decimal(100))
    drawn = line(points, marks=marks, dotted=True)
    assert drawn is not None
    assert drawn.dots == [("0.0", "55.0"), ("50.0", "12.0"), ("100.0", "72.2")]
    assert drawn.path == draw_path(drawn.dots)
    assert [mark.label for mark in drawn.lines] == ["0", "50", "100"]
    assert drawn.summary == "from 30 to 100, 2026-11-01 to 2026-11-03"
    many = [(START + timedelta(hours=n), Decimal(n % 7)) for n in range(2000)]
    crowded = line(many, marks=marks, dotted=True)
    assert crowded is not None
    assert crowded.dots == [] and crowded.path.count("L") < 600


def test_a_course_runs_from_zero_over_time() -> None:
    points = [(START + timedelta(days=n), Decimal(x)) for n, x in ((0, 50), (1, 100), (4, 0))]
    drawn = line(points)
    assert drawn is not None
    assert drawn.path == draw_path([("0.0", "55.0"), ("25.0", "12.0"), ("100.0", "98.0")])
    assert (drawn.dots, drawn.baseline) == ([("100.0", "98.0")], 98)
    assert [(label.x, label.text, label.anchor) for label in drawn.labels] == [
        ("0", "2026-11-01", "start"),
        ("100", "2026-11-05", "end"),
    ]
    assert [line.label for line in drawn.lines] == ["50", "100"]


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(START, Decimal(5))],
        [(START, Decimal(5)), (START, Decimal(6))],
        [(START, Decimal(0)), (START + timedelta(1), Decimal(-1))],
    ],
)
def test_nothing_is_drawn_of_less(points: list[tuple[datetime, Decimal]]) -> None:
    assert line(points) is None
    assert draw_sparkline(points[:1]) is None


def test_a_small_line_runs_from_its_lowest_to_its_highest_amount() -> None:
    points = [(START + timedelta(days=n), Decimal(x)) for n, x in ((0, -50), (1, 150), (4, 50))]
    drawn = draw_sparkline(points)
    assert drawn is not None
    assert drawn.path == draw_path([("0.0", "24.0"), ("25.0", "4.0"), ("100.0", "14.0")])
    assert (drawn.dots, drawn.lines, drawn.labels) == ([("100.0", "14.0")], (), ())
