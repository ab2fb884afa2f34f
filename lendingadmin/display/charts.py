"""Pictures as geometry: numbers for SVG attributes, so that no page needs an inline style."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, tzinfo
from decimal import Decimal

from lendingadmin.display.money import compact, figure, money
from lendingadmin.display.numbers import counted
from lendingadmin.display.plots import KINDS, Line, Segment, grid, labelled, parts, stacked, unit
from lendingadmin.display.times import contract_date, contract_day, short_contract_day

from .locales import DEFAULT_LOCALE, written_month

_TOP, _BOTTOM, _LEFT, _RIGHT = 18.0, 22.0, 14.0, 44.0
_LABEL_WIDTH = 48.0


@dataclass(frozen=True)
class Bar:
    """One instalment: its parts from the bottom up, its caption, and its words for the hover.

    `outline` is the path around all of it, for the pattern of a late one.
    """

    x: str
    width: str
    middle: str
    segments: tuple[Segment, ...]
    label: str
    title: str
    due: bool
    outline: str
    late: bool = False


@dataclass(frozen=True)
class Chart:
    """A stacked bar chart; all lengths are user units of an SVG of `width` by `height`."""

    width: int
    height: int
    baseline: str
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...]
    plot_end: str
    plot_end_label: str
    kinds: tuple[str, ...]
    today: str | None
    today_label: str
    today_anchor: str
    summary: str


def schedule_bars(
    installments: object,
    *,
    width: int = 760,
    height: int = 168,
    today: date | None = None,
    zone: tzinfo | None = None,
    currency: str = "",
    locale: str = DEFAULT_LOCALE,
    late: Collection[int] = (),
) -> Chart | None:
    """Lay out one stacked bar per instalment, with a line for today between those due and to come.

    `late` has the places, from 0, of the instalments that are due and not paid.

    Amounts that are missing or no numbers are drawn as nothing. Without any amount there is no
    chart: None.
    """
    rows = [_Row(item, zone, locale) for item in _listed(installments)]
    top = max((row.total for row in rows), default=Decimal(0))
    if top <= 0:
        return None
    days = [row.due for row in rows if row.due]
    spans_years = bool(days) and (max(days) - min(days)).days > 366
    plot = _Plot(width, height, len(rows), top, spans_years)
    passed = sum(1 for row in rows if today and row.due and row.due < today)
    bars = tuple(
        plot.bar(index, row, index < passed, currency, index in late)
        for index, row in enumerate(rows)
    )
    line = plot.between(passed) if today else None
    near_end = line is not None and line > plot.end - 60
    return Chart(
        width=width,
        height=height,
        baseline=unit(plot.base),
        bars=bars,
        lines=plot.lines(currency, locale),
        plot_end=unit(plot.end),
        plot_end_label=unit(plot.end + 6),
        kinds=_kinds(rows),
        today=None if line is None else unit(line),
        today_label="" if line is None else unit(line - 5 if near_end else line + 5),
        today_anchor="end" if near_end else "start",
        summary=_summary(len(rows), passed, today, len(late)),
    )


def kinds_of(installments: object) -> tuple[str, ...]:
    """Which parts the instalments have, in the order they are stacked: what a legend names."""
    return _kinds([_Row(item, None, DEFAULT_LOCALE) for item in _listed(installments)])


class _Row:
    """One instalment read tolerantly: what is no amount counts as none."""

    def __init__(self, installment: object, zone: tzinfo | None, locale: str) -> None:
        self.parts = parts(getattr(installment, "amounts", None))
        self.total = sum(self.parts.values(), Decimal(0))
        self.when = getattr(installment, "due_date", None)
        self.due = contract_date(self.when, zone)
        self.zone, self.locale = zone, locale

    def label(self, spans_years: bool) -> str:
        if self.due is None:
            return ""
        if spans_years:
            return written_month(self.due, self.locale)
        return short_contract_day(self.due, locale=self.locale)

    def title(self, currency: str) -> str:
        def written(amount: Decimal) -> str:
            return figure(amount, currency, self.locale)

        told = [f"{kind} {written(part)}" for kind, part in self.parts.items() if part]
        head = f"{contract_day(self.when, self.zone, self.locale)}: {written(self.total)}"
        return f"{head} ({', '.join(told)})" if told else head


class _Plot:
    """The drawing area: where a bar stands and how high an amount is."""

    def __init__(
        self, width: int, height: int, count: int, top: Decimal, spans_years: bool
    ) -> None:
        self.end = width - _RIGHT
        self.base = height - _BOTTOM
        self.slot = (self.end - _LEFT) / count
        self.bar_width = min(self.slot * 0.62, 56.0)
        self.top = top
        self.every = labelled(self.slot, _LABEL_WIDTH)
        self.spans_years = spans_years

    def bar(self, index: int, row: _Row, due: bool, currency: str, late: bool) -> Bar:
        middle = _LEFT + self.slot * (index + 0.5)
        left, width, upper = middle - self.bar_width / 2, self.bar_width, self._y(row.total)
        title = row.title(currency)
        return Bar(
            x=unit(left),
            width=unit(width),
            middle=unit(middle),
            segments=stacked(row.parts, self._y),
            label="" if index % self.every else row.label(self.spans_years),
            title=f"{title}, late" if late else title,
            due=due,
            outline=f"M{left:.1f} {upper:.1f}h{width:.1f}V{self.base:.1f}h-{width:.1f}z",
            late=late,
        )

    def between(self, passed: int) -> float:
        """Where today's line stands: after this many bars."""
        return _LEFT + self.slot * passed

    def lines(self, currency: str, locale: str) -> tuple[Line, ...]:
        """One to four lines at round amounts up to the highest bar."""
        return tuple(
            Line(unit(self._y(one)), compact(one, locale), money(one, currency, locale))
            for one in grid(self.top)
        )

    def _y(self, amount: Decimal) -> float:
        return self.base - float(amount / self.top) * (self.base - _TOP)


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []


def _kinds(rows: list[_Row]) -> tuple[str, ...]:
    return tuple(kind for kind in KINDS if any(row.parts[kind] > 0 for row in rows))


def _summary(count: int, passed: int, today: date | None, late: int) -> str:
    text = counted(count, "instalment")
    text = f"{text}, {passed} due before today" if today else text
    return f"{text}, {late} late" if late else text
