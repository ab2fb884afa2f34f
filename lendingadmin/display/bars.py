"""Bars that lead somewhere, as geometry: upright over time, lying for kinds of a thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from lendingadmin.display.money import compact
from lendingadmin.display.plots import Line, grid, labelled, unit

from .locales import DEFAULT_LOCALE

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
class Bar:
    """One bar; `middle` is where its words stand.

    An upright one has a room that can be pressed, and a `label` where there is space for it.
    """

    item: Item
    x: str
    y: str
    width: str
    height: str
    middle: str
    room_x: str = ""
    room_width: str = ""
    label: str = ""


@dataclass(frozen=True)
class Bars:
    """A picture; all lengths are user units of an SVG of `width` by `height`.

    Only upright bars stand on a baseline and have a grid.
    """

    width: int
    height: int
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...] = ()
    baseline: str = ""
    plot_end: str = ""
    plot_end_label: str = ""


def upright(
    items: Sequence[Item], *, width: int, height: int = 168, locale: str = DEFAULT_LOCALE
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
    every = labelled(slot, _LABEL_WIDTH)
    first = (len(items) - 1) % every  # so that the last one has its label
    bars = []
    for index, item in enumerate(items):
        left = _LEFT + slot * index
        length = _length(item.amount, top, base - _TOP)
        bars.append(
            Bar(
                item=item,
                x=unit(left + (slot - thick) / 2),
                y=unit(base - length),
                width=unit(thick),
                height=unit(length),
                room_x=unit(left),
                room_width=unit(slot),
                middle=unit(left + slot / 2),
                label=item.label if index % every == first else "",
            )
        )
    lines = tuple(
        Line(unit(base - _length(step, top, base - _TOP)), compact(step, locale))
        for step in grid(top)
    )
    return Bars(width, height, tuple(bars), lines, unit(base), unit(end), unit(end + 6))


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
            y=unit(_ROW * index + _WORDS + 5),
            width=unit(_length(item.amount, top, float(width)) if top > 0 else 0.0),
            height=unit(_THICK),
            middle=unit(_ROW * index + _WORDS),
        )
        for index, item in enumerate(items)
    )
    return Bars(width, int(_ROW * len(items)), bars)


def _length(amount: Decimal, top: Decimal, longest: float) -> float:
    """What is more than nothing is seen."""
    share = float(min(max(amount, Decimal(0)) / top, Decimal(1)))
    return max(share * longest, 1.5) if amount > 0 else 0.0
