"""Bars and courses as geometry."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest

from lendingadmin.display.bars import Item, lying, upright
from lendingadmin.display.plots import grid
from lendingadmin.display.trends import trend

START = datetime(2026, 11, 1, tzinfo=UTC)


def items(*amounts: object) -> list[Item]:
    return [Item(f"n{at}", Decimal(str(x)), "words", "/x") for at, x in enumerate(amounts)]


@pytest.mark.parametrize("amounts", [(), (0, 0), (-5, 0)])
def test_without_an_amount_there_are_no_upright_bars(amounts: tuple[int, ...]) -> None:
    assert upright(items(*amounts), width=480) is None


def test_upright_bars_are_as_high_as_their_share_and_stay_inside() -> None:
    drawn = upright(items(10, 5, 0, -3, "0.000001"), width=480, height=168)
    assert drawn is not None
    heights = [float(bar.height) for bar in drawn.bars]
    assert heights[0] == 2 * heights[1] == 168 - 22 - 20
    assert heights[2:4] == [0, 0]
    assert heights[4] == 1.5  # what is more than nothing is seen
    for bar in drawn.bars:
        assert float(bar.y) + float(bar.height) == pytest.approx(float(drawn.baseline))
        assert float(bar.x) >= 0 and float(bar.x) + float(bar.width) <= float(drawn.plot_end)


@pytest.mark.parametrize("width", [330, 480, 720])
def test_labels_have_room_and_the_last_one_is_there(width: int) -> None:
    drawn = upright(items(*range(1, 14)), width=width)
    assert drawn is not None
    shown = [float(bar.middle) for bar in drawn.bars if bar.label]
    assert drawn.bars[-1].label == "n12"
    assert all(after - before >= 44 for before, after in pairwise(shown))
    assert shown[0] >= 22


@pytest.mark.parametrize(
    ("top", "lines"),
    [("5", [1, 2, 3, 4, 5]), ("999", [200, 400, 600, 800]), ("1.2", ["0.5", "1"]), ("1E+12", 2)],
)
def test_the_grid_is_of_round_amounts(top: str, lines: object) -> None:
    found = grid(Decimal(top))
    assert 1 <= len(found) <= 4
    assert found[-1] <= Decimal(top)
    if isinstance(lines, list) and len(lines) <= 4:
        assert found == [Decimal(str(one)) for one in lines]


def test_lying_bars_share_a_whole() -> None:
    drawn = lying(items("0.25", "1.5", 0), width=400, whole=Decimal(1))
    assert drawn is not None
    assert [float(bar.width) for bar in drawn.bars] == [100, 400, 0]
    assert [float(bar.y) for bar in drawn.bars] == [19, 55, 91]
    assert drawn.height == 108
    assert lying([], width=400) is None
    empty = lying(items(0, 0), width=400)
    assert empty is not None and {bar.width for bar in empty.bars} == {"0.0"}


def test_a_course_runs_from_zero_over_time() -> None:
    points = [(START + timedelta(days=n), Decimal(x)) for n, x in ((0, 50), (1, 100), (4, 0))]
    drawn = trend(points, width=348, height=120, written=lambda amount: f"{amount:.0f}")
    assert drawn is not None
    assert drawn.path == "M4.0 55.0 L78.0 12.0 L300.0 98.0"
    assert (drawn.last_x, drawn.last_y, drawn.baseline) == ("300.0", "98.0", "98.0")
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
    assert trend(points, width=340, written=str) is None
