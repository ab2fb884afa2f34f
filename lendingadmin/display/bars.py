"""Bars that lead somewhere, as geometry: upright over time, lying for kinds of a thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from lendingadmin.display.locales import HOUSE
from lendingadmin.display.money import compact

_TOP, _BOTTOM, _LEFT, _RIGHT = 20.0, 22.0, 14.0, 48.0
_LABEL_WIDTH = 46.0
# A lying bar has its words above it; all in user units.
_WORDS, _THICK, _ROW = 14.0, 10.0, 36.0


@dataclass(frozen=True)
class Item:
    """What a bar stands for: its label, its length, its words for the hover, where it leads.

    A lying bar has its `value` at its end and a `note` beside the label.
    """

    label: str
    amount: Decimal
    words: str
    url: str
    value: str = ""
    note: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Line:
    """A line of the grid with what it stands for."""

    y: str
    label: str


@dataclass(frozen=True)
class Bar:
    """One bar, and the room that can be pressed for it; `label` is empty where there is no room."""

    item: Item
    x: str
    y: str
    width: str
    height: str
    room_x: str
    room_width: str
    middle: str
    label: str


@dataclass(frozen=True)
class Bars:
    """A picture; all lengths are user units of an SVG of `width` by `height`."""

    width: int
    height: int
    baseline: str
    plot_end: str
    plot_end_label: str
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...] = ()


def upright(
    items: Sequence[Item], *, width: int, height: int = 168, locale: str = HOUSE
) -> Bars | None:
    """One bar for each item, from left to right; None where none is longer than nothing.

    An amount below zero is drawn as nothing; the words tell it.
    """
    top = max((item.amount for item in items), default=Decimal(0))
    if top <= 0:
        return None
    end, base = width - _RIGHT, height - _BOTTOM
    slot = (end - _LEFT) / len(items)
    thick = min(slot * 0.66, 48.0)
    every = max(1, -int(-_LABEL_WIDTH // slot))
    first = (len(items) - 1) % every  # so that the last one has its label
    bars = []
    for index, item in enumerate(items):
        left = _LEFT + slot * index
        length = _length(item.amount, top, base - _TOP)
        bars.append(
            Bar(
                item=item,
                x=_unit(left + (slot - thick) / 2),
                y=_unit(base - length),
                width=_unit(thick),
                height=_unit(length),
                room_x=_unit(left),
                room_width=_unit(slot),
                middle=_unit(left + slot / 2),
                label=item.label if index % every == first else "",
            )
        )
    lines = tuple(
        Line(_unit(base - _length(step, top, base - _TOP)), compact(step, locale))
        for step in grid(top)
    )
    return Bars(width, height, _unit(base), _unit(end), _unit(end + 6), tuple(bars), lines)


def lying(items: Sequence[Item], *, width: int, whole: Decimal | None = None) -> Bars | None:
    """One bar under another, its words above it; `whole` is what the full width stands for.

    Without it, that is the longest. None without items.
    """
    if not items:
        return None
    top = whole or max(max(item.amount for item in items), Decimal(0))
    bars = tuple(
        Bar(
            item=item,
            x="0",
            y=_unit(_ROW * index + _WORDS + 5),
            width=_unit(_length(item.amount, top, float(width)) if top > 0 else 0.0),
            height=_unit(_THICK),
            room_x="0",
            room_width=_unit(width),
            middle=_unit(_ROW * index + _WORDS),
            label=item.label,
        )
        for index, item in enumerate(items)
    )
    height = int(_ROW * len(items))
    return Bars(width, height, _unit(height), _unit(width), _unit(width), bars)


def grid(top: Decimal) -> list[Decimal]:
    """One to four round amounts up to this one, which is above zero."""
    step = Decimal(1).scaleb(top.adjusted())
    if top / step < 2:
        step /= 2
    elif top / step >= 5:
        step *= 2
    return [step * n for n in range(1, int(top / step) + 1)]


def _length(amount: Decimal, top: Decimal, longest: float) -> float:
    """What is more than nothing is seen."""
    share = float(min(max(amount, Decimal(0)) / top, Decimal(1)))
    return max(share * longest, 1.5) if amount > 0 else 0.0


def _unit(value: float) -> str:
    return f"{value:.1f}"
