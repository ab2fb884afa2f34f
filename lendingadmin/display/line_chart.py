"""Battery levels as a line: numbers for SVG attributes, so that no page needs an inline style."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.display.times import moment

from .locales import DEFAULT_LOCALE

_TOP, _BOTTOM, _LEFT, _RIGHT = 10.0, 24.0, 8.0, 48.0
_MOST = 600  # points, of which a screen can show no more

Reading = tuple[datetime, Decimal]


class Grid(NamedTuple):
    """A line of the grid, with its label in percent."""

    y: str
    label: str


class Line(NamedTuple):
    """The line in user units of an SVG of `width` by `height`."""

    width: int
    height: int
    points: str
    dots: tuple[tuple[str, str], ...]
    grid: tuple[Grid, ...]
    end: str
    label_x: str
    label_y: str
    first: str
    last: str
    summary: str


def draw_line(
    readings: Sequence[Reading],
    zone: tzinfo | None,
    *,
    width: int,
    height: int,
    locale: str = DEFAULT_LOCALE,
) -> Line | None:
    """Lay out readings in the order of time; None for fewer than two moments.

    The scale is 0 to 100, and wider where a level lies outside.
    """
    points = sorted(readings)
    if len(points) < 2 or points[0][0] == points[-1][0]:
        return None
    levels = [level for _, level in points]
    plot = _Plot(points[0][0], points[-1][0], levels, width, height)
    thinned = points[:: -(-len(points) // _MOST)]
    spots = [(plot.x(when), plot.y(level)) for when, level in thinned]
    first, last = (moment(point[0], zone, locale) for point in (points[0], points[-1]))
    return Line(
        width=width,
        height=height,
        points=" ".join(f"{x},{y}" for x, y in spots),
        dots=tuple(spots) if len(spots) <= 40 else (),
        grid=tuple(Grid(plot.y(level), f"{level:f} %") for level in plot.marks()),
        end=_unit(width - _RIGHT),
        label_x=_unit(width - _RIGHT + 6),
        label_y=_unit(height - 8),
        first=first,
        last=last,
        summary=f"from {min(levels):f} % to {max(levels):f} %, {first} to {last}",
    )


class _Plot:
    """The drawing area: where a time and a level stand."""

    def __init__(
        self, start: datetime, end: datetime, levels: list[Decimal], width: int, height: int
    ) -> None:
        self.start, self.length = start, (end - start).total_seconds()
        self.low = min(min(levels), Decimal(0))
        self.high = max(max(levels), Decimal(100))
        self.across = width - _LEFT - _RIGHT
        self.base, self.up = height - _BOTTOM, height - _BOTTOM - _TOP

    def x(self, when: datetime) -> str:
        return _unit(_LEFT + (when - self.start).total_seconds() / self.length * self.across)

    def y(self, level: Decimal) -> str:
        share = (level - self.low) / (self.high - self.low)
        return _unit(self.base - float(share) * self.up)

    def marks(self) -> tuple[Decimal, ...]:
        if self.low == 0 and self.high == 100:
            return Decimal(0), Decimal(50), Decimal(100)
        return self.low, self.high


def _unit(value: float) -> str:
    return f"{value:.1f}"
