"""A figure over time, as geometry."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from lendingadmin.display.plots import Line, grid, unit

_TOP, _BOTTOM, _LEFT, _RIGHT = 12.0, 22.0, 4.0, 48.0


@dataclass(frozen=True)
class Trend:
    """The picture; all lengths are user units of an SVG of `width` by `height`."""

    width: int
    height: int
    baseline: str
    plot_end: str
    plot_end_label: str
    path: str
    last_x: str
    last_y: str
    lines: tuple[Line, ...]


def trend(
    points: Sequence[tuple[datetime, Decimal]],
    *,
    width: int,
    height: int = 120,
    written: Callable[[Decimal], str],
) -> Trend | None:
    """Join the points, the oldest first; from zero, so that a small change looks small.

    `written` says an amount of the grid. None for fewer than two points in time, and where nothing
    is above zero.
    """
    if len(points) < 2 or points[0][0] >= points[-1][0]:
        return None
    top = max(amount for _, amount in points)
    if top <= 0:
        return None
    end, base = width - _RIGHT, height - _BOTTOM
    first = points[0][0]
    whole = (points[-1][0] - first).total_seconds()
    places = [
        (
            unit(_LEFT + (when - first).total_seconds() / whole * (end - _LEFT)),
            unit(base - _share(amount, top) * (base - _TOP)),
        )
        for when, amount in points
    ]
    return Trend(
        width=width,
        height=height,
        baseline=unit(base),
        plot_end=unit(end),
        plot_end_label=unit(end + 6),
        path="M" + " L".join(f"{x} {y}" for x, y in places),
        last_x=places[-1][0],
        last_y=places[-1][1],
        lines=tuple(
            Line(unit(base - _share(step, top) * (base - _TOP)), written(step))
            for step in grid(top)
        ),
    )


def _share(amount: Decimal, top: Decimal) -> float:
    return float(max(amount, Decimal(0)) / top)
