"""Several schedules over one another, on one scale of days and one of amounts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from decimal import Decimal

from lendingadmin.display.money import compact, figure, money
from lendingadmin.display.numbers import number
from lendingadmin.display.plots import KINDS, Segment, parts, stacked, unit
from lendingadmin.display.times import contract_date, contract_day

from .locales import DEFAULT_LOCALE

_LEFT, _RIGHT, _HEAD, _PLOT, _FOOT = 14.0, 44.0, 22.0, 62.0, 20.0
_WIDEST = 26.0
# What an instalment comes to beyond the parts that it tells.
_OTHER = "other"
_STACK = (*KINDS, _OTHER)
# A letter's width at the size of the names, generously; longer names are cut.
_LETTER = 7.0


@dataclass(frozen=True)
class Pile:
    """One instalment at its day: its parts from the bottom up, and its words for the hover."""

    x: str
    width: str
    segments: tuple[Segment, ...]
    title: str


@dataclass(frozen=True)
class Band:
    """One contract: its name above, as long as there is room, its instalments on a baseline."""

    name: str
    label: str
    name_y: str
    top: str
    baseline: str
    piles: tuple[Pile, ...]


@dataclass(frozen=True)
class Tick:
    """A day on the scale below the bands."""

    x: str
    label: str
    anchor: str


@dataclass(frozen=True)
class Overlay:
    """The picture; all lengths are user units of an SVG of `width` by `height`."""

    width: int
    height: int
    bands: tuple[Band, ...]
    ticks: tuple[Tick, ...]
    plot_end: str
    top_label_x: str
    top_label: str
    top_exact: str
    kinds: tuple[str, ...]


def overlay(
    schedules: Sequence[tuple[str, object]],
    *,
    width: int = 760,
    zone: tzinfo | None = None,
    currency: str = "",
    locale: str = DEFAULT_LOCALE,
) -> Overlay | None:
    """Lay out named lists of instalments, one band each.

    Amounts and days that are missing or odd are left out. Without anything to draw: None.
    """
    read = [(name, _rows(rows, zone)) for name, rows in schedules]
    days = [row.due for _, rows in read for row in rows]
    top = max((row.total for _, rows in read for row in rows), default=Decimal(0))
    if not days or top <= 0:
        return None
    plot = _Plot(width, days, top, max(len(rows) for _, rows in read), locale)
    return Overlay(
        width=width,
        height=int(len(read) * (_HEAD + _PLOT) + _FOOT),
        bands=tuple(
            plot.band(place, name, rows, currency) for place, (name, rows) in enumerate(read)
        ),
        ticks=plot.ticks(),
        plot_end=unit(plot.end),
        top_label_x=unit(plot.end + 6),
        top_label=compact(top, locale),
        top_exact=money(top, currency, locale),
        kinds=tuple(
            kind for kind in _STACK if any(row.parts[kind] for _, rows in read for row in rows)
        ),
    )


class _Row:
    """One instalment that has a day."""

    def __init__(self, installment: object, due: date) -> None:
        amounts = getattr(installment, "amounts", None)
        self.parts = parts(amounts)
        told = sum(self.parts.values(), Decimal(0))
        repayment = number(getattr(amounts, "repayment", None)) or Decimal(0)
        self.parts[_OTHER] = max(repayment - told, Decimal(0))
        self.total = told + self.parts[_OTHER]
        self.due = due


def _rows(installments: object, zone: tzinfo | None) -> list[_Row]:
    if not isinstance(installments, Iterable) or isinstance(installments, str):
        return []
    dated = [(one, contract_date(getattr(one, "due_date", None), zone)) for one in installments]
    return [_Row(one, due) for one, due in dated if due]


class _Plot:
    """Where a day lies and how high an amount is."""

    def __init__(
        self, width: int, days: Sequence[date], top: Decimal, most: int, locale: str
    ) -> None:
        self.end = width - _RIGHT
        self.first, self.last, self.top = min(days), max(days), top
        self.locale = locale
        self.span = max((self.last - self.first).days, 1)
        self.bar = min(_WIDEST, (self.end - _LEFT) / most * 0.6)

    def band(self, place: int, name: str, rows: list[_Row], currency: str) -> Band:
        above = place * (_HEAD + _PLOT)
        base = above + _HEAD + _PLOT
        return Band(
            name=name,
            label=_cut(name, int(self.end / _LETTER)),
            name_y=unit(above + _HEAD - 7),
            top=unit(above + _HEAD),
            baseline=unit(base),
            piles=tuple(self._pile(row, base, currency) for row in rows),
        )

    def ticks(self) -> tuple[Tick, ...]:
        start, end = self._x(self.first), self._x(self.last)
        first = Tick(unit(start), contract_day(self.first, locale=self.locale), "start")
        last = Tick(unit(end + self.bar), contract_day(self.last, locale=self.locale), "end")
        return (first, last) if self.last != self.first else (first,)

    def _pile(self, row: _Row, base: float, currency: str) -> Pile:
        segments = stacked(row.parts, lambda amount: base - self._high(amount))
        due = contract_day(row.due, locale=self.locale)
        title = f"{due}: {figure(row.total, currency, self.locale)}"
        return Pile(unit(self._x(row.due)), unit(self.bar), segments, title)

    def _x(self, day: date) -> float:
        room = self.end - _LEFT - self.bar
        return _LEFT + room * ((day - self.first).days / self.span)

    def _high(self, amount: Decimal) -> float:
        return float(amount / self.top) * (_PLOT - 2)


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
