"""What the pictures have in common: the grid, an instalment's parts, numbers for SVG."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from lendingadmin.display.numbers import number

KINDS = ("principal", "interest", "fees", "penalty")


@dataclass(frozen=True)
class Line:
    """A line of the grid with what it stands for, roughly and exactly."""

    y: str
    label: str
    exact: str = ""


@dataclass(frozen=True)
class Segment:
    """One coloured part of a bar; `kind` is one of KINDS, or a part beyond them."""

    kind: str
    y: str
    height: str


def unit(value: float) -> str:
    """A length in user units, for an attribute."""
    return f"{value:.1f}"


def grid(top: Decimal) -> list[Decimal]:
    """One to four round amounts up to this one, which is above zero."""
    step = Decimal(1).scaleb(top.adjusted())
    if top / step < 2:
        step /= 2
    elif top / step >= 5:
        step *= 2
    return [step * n for n in range(1, int(top / step) + 1)]


def labelled(slot: float, width: float) -> int:
    """Every how many slots there is room for a label of this width; at least 1."""
    return max(1, -int(-width // slot))


def parts(amounts: object) -> dict[str, Decimal]:
    """The amounts of an instalment by KINDS; what is no amount, or below zero, counts as none."""
    read = {kind: number(getattr(amounts, kind, None)) for kind in KINDS}
    return {kind: max(value or Decimal(0), Decimal(0)) for kind, value in read.items()}


def stacked(amounts: Mapping[str, Decimal], y: Callable[[Decimal], float]) -> tuple[Segment, ...]:
    """Stand the parts on one another, the first at the bottom; `y` says where an amount ends."""
    segments, below = [], Decimal(0)
    for kind, part in amounts.items():
        if part > 0:
            upper = y(below + part)
            segments.append(Segment(kind, unit(upper), unit(y(below) - upper)))
            below += part
    return tuple(segments)
