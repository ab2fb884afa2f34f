"""Pictures as numbers for SVG attributes, so that no page needs an inline style.

A picture is as wide as its box. Horizontal places are in per cent of its width, vertical places in
pixels from its top. `templates/_chart.html` draws every picture. The style sheet leaves room next
to the picture for the labels of the grid.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.web.display.money import compact, figure, money
from lendingadmin.web.display.numbers import number, whole
from lendingadmin.web.display.times import contract_date, contract_day, short_contract_day

from .locales import DEFAULT_LOCALE, write_month

_PARTS = (
    gettext_noop("principal"),
    gettext_noop("interest"),
    gettext_noop("fees"),
    gettext_noop("penalty"),
)
# The part of an instalment's total that is in none of the parts from the service.
_REST = gettext_noop("other")
KINDS = (*_PARTS, _REST)
_FOOT = 22
_LABEL_WIDTH = 48
# The narrowest plot, in pixels, that has room for the labels of each class (style.css).
_ROOMS = {"": 240, "mid": 480, "wide": 700}
_MOST_POINTS, _MOST_DOTS = 600, 40
_SPARK_HEIGHT, _SPARK_MARGIN = 28, 4
_LEAST_HEIGHT = Decimal("1.5")
_LEAST_BETWEEN_LINES = 14
_Write = Callable[[Decimal], str]


@dataclass(frozen=True)
class Line:
    """A line of the grid with its amount, rounded and exact."""

    y: str
    label: str
    exact: str = ""


@dataclass(frozen=True)
class Segment:
    """One coloured part of a bar; `kind` is its CSS class: one of KINDS, or `length`."""

    kind: str
    y: str
    height: str


@dataclass(frozen=True)
class Bar:
    """A bar with its parts from the bottom up, and its words on hover.

    If `url` is set, the complete slot around the bar is a link. `size` is the class of the label:
    the smallest plot with room for the label.
    """

    x: str
    width: str
    middle: str
    y: str
    height: str
    segments: tuple[Segment, ...]
    title: str
    label: str = ""
    size: str = ""
    url: str = ""
    slot_x: str = ""
    slot_width: str = ""
    due: bool = True
    late: bool = False


@dataclass(frozen=True)
class Label:
    """Words below the baseline; `anchor` is start, middle or end."""

    x: str
    text: str
    anchor: str


@dataclass(frozen=True)
class Item:
    """Content of a bar: its label, its amount, its words for the hover, and its address.

    A horizontal bar has its `value` at its end and a `note` next to the label.
    """

    label: str
    amount: Decimal
    words: str
    url: str
    value: str = ""
    note: str = ""
    tone: str = ""


class Plot:
    """One picture: the scale from `low` at the baseline to `high`, its grid and its content."""

    def __init__(
        self,
        high: Decimal,
        *,
        height: int,
        low: Decimal = Decimal(0),
        head: int = 18,
        foot: int = _FOOT,
    ) -> None:
        self.height, self.baseline = height, height - foot
        self.low, self.high, self.room = low, high, self.baseline - head
        self.lines: tuple[Line, ...] = ()
        self.bars: list[Bar] = []
        self.labels: tuple[Label, ...] = ()
        self.path = ""
        self.dots: list[tuple[str, str]] = []
        self.today: str | None = None
        self.today_anchor = "start"
        self.kinds: tuple[str, ...] = ()
        self.summary = ""

    def y(self, amount: Decimal) -> float:
        """Return the distance of an amount from the top, in pixels."""
        return self.baseline - float((amount - self.low) / (self.high - self.low)) * self.room

    def draw_grid(self, amounts: Iterable[Decimal], write: _Write, exact: _Write = str) -> None:
        """Draw a line at each amount."""
        self.lines = tuple(Line(_unit(self.y(x)), write(x), exact(x)) for x in amounts)

    def draw_bar(
        self, left: float, width: float, parts: Mapping[str, Decimal], title: str, **more: object
    ) -> None:
        """Draw the parts on top of each other, the first at the bottom."""
        segments, below = [], Decimal(0)
        for kind, part in parts.items():
            if part > 0:
                upper = self.y(below + part)
                segments.append(Segment(kind, _unit(upper), _unit(self.y(below) - upper)))
                below += part
        upper = self.y(below)
        self.bars.append(
            Bar(
                x=_unit(left),
                width=_unit(width),
                middle=_unit(left + width / 2),
                y=_unit(upper),
                height=_unit(self.baseline - upper),
                segments=tuple(segments),
                title=title,
                **more,  # type: ignore[arg-type]
            )
        )

    def draw_slot_bar(
        self, place: tuple[int, int], parts: Mapping[str, Decimal], title: str, **more: object
    ) -> None:
        """Draw a bar in the middle of its slot; `place` is its index and the number of slots."""
        index, count = place
        slot = 100 / count
        width = min(slot * 0.62, 9.0)
        size = _label_size(index, count)
        if size is None:
            more["label"] = ""
        left = slot * index + (slot - width) / 2
        more |= {"slot_x": _unit(slot * index), "slot_width": _unit(slot), "size": size or ""}
        self.draw_bar(left, width, parts, title, **more)

    def draw_course(
        self, ordered: Sequence[tuple[datetime, Decimal]], *, dotted: bool = False
    ) -> None:
        """Draw a line through amounts in the order of time, with the dots of `draw_line`."""
        start, end = ordered[0][0], ordered[-1][0]
        spots = [
            (_unit(100 * ((when - start) / (end - start))), _unit(self.y(max(amount, self.low))))
            for when, amount in ordered[:: -(-len(ordered) // _MOST_POINTS)]
        ]
        self.path = "M" + " L".join(f"{x} {y}" for x, y in spots)
        self.dots = spots if dotted and len(spots) <= _MOST_DOTS else [] if dotted else spots[-1:]


def find_grid(top: Decimal) -> list[Decimal]:
    """Return one to four round amounts up to `top`, which is above zero."""
    step = Decimal(1).scaleb(top.adjusted())
    if top / step < 2:
        step /= 2
    elif top / step >= 5:
        step *= 2
    return [step * n for n in range(1, int(top / step) + 1)]


def _thin_grid(amounts: list[Decimal], plot: Plot) -> list[Decimal]:
    """Return as many amounts as the plot can label, including the highest."""
    room = max(plot.baseline - plot.y(amounts[-1]), 1)
    step = -(-_LEAST_BETWEEN_LINES * len(amounts) // int(room))
    return amounts[::-1][:: max(step, 1)][::-1]


def draw_schedule(
    installments: object,
    *,
    today: date | None = None,
    zone: tzinfo | None = None,
    currency: str = "",
    locale: str = DEFAULT_LOCALE,
    late: Collection[int] = (),
    height: int = 180,
) -> Plot | None:
    """Draw one stacked bar for each instalment. A line for today separates past and future.

    `late` has the positions, from 0, of the instalments that are due and not paid.

    Amounts that are missing or are not numbers are not drawn. Return None if there are no amounts.
    """
    rows = [_Row(item, zone) for item in _listed(installments)]
    top = max((row.total for row in rows), default=Decimal(0))
    if top <= 0:
        return None
    days = [row.due for row in rows if row.due]
    spans_years = bool(days) and (max(days) - min(days)).days > 366
    plot = Plot(top, height=height)
    plot.draw_grid(
        find_grid(top), lambda x: compact(x, locale), lambda x: money(x, currency, locale)
    )
    passed = sum(1 for row in rows if today and row.due and row.due < today)
    for index, row in enumerate(rows):
        title = row.title(currency, locale)
        plot.draw_slot_bar(
            (index, len(rows)),
            row.parts,
            _("%(instalment)s, late") % {"instalment": title} if index in late else title,
            label=row.label(spans_years, locale),
            due=index < passed,
            late=index in late,
        )
    if today:
        share = passed / len(rows)
        plot.today, plot.today_anchor = _unit(100 * share), "end" if share > 0.9 else "start"
    plot.kinds = _kinds(rows)
    summary = [ngettext("%(count)s instalment", "%(count)s instalments", len(rows))]
    summary += [_("%(passed)s due before today")] if today else []
    summary += [_("%(late)s late")] if late else []
    counts = {"count": whole(len(rows)), "passed": passed, "late": len(late)}
    plot.summary = ", ".join(summary) % counts
    return plot


def kinds_of(installments: object) -> tuple[str, ...]:
    """Return the kinds of parts in these instalments, in the order of the stack, for a legend."""
    return _kinds([_Row(item, None) for item in _listed(installments)])


def list_reported_parts(installments: object) -> tuple[str, ...]:
    """Return the parts that are not zero in every instalment; unreadable amounts count too."""
    rows = [getattr(item, "amounts", None) for item in _listed(installments)]

    def says_something(kind: str) -> bool:
        values = (getattr(amounts, kind, None) for amounts in rows)
        return any(value is not None and number(value) != 0 for value in values)

    return tuple(kind for kind in _PARTS if says_something(kind))


def draw_schedules(
    schedules: Sequence[tuple[str, object]],
    *,
    zone: tzinfo | None = None,
    currency: str = "",
    locale: str = DEFAULT_LOCALE,
) -> list[tuple[str, Plot]]:
    """Draw named lists of instalments, one below the other, on the same two scales.

    Missing or malformed amounts and days are left out. Return an empty list if there is nothing to
    draw.
    """
    read = [(name, [_Row(item, zone, rest=True) for item in _listed(x)]) for name, x in schedules]
    by_date = [(name, [(row.due, row) for row in rows if row.due]) for name, rows in read]
    days = [day for _, rows in by_date for day, _ in rows]
    top = max((row.total for _, rows in by_date for _, row in rows), default=Decimal(0))
    if not days or top <= 0:
        return []
    first, last = min(days), max(days)
    span = max((last - first).days, 1)
    gaps = (y - x for _, rows in by_date for x, y in pairwise(sorted({day for day, _ in rows})))
    width = min(4.0, 70 * min((gap.days for gap in gaps), default=span) / span)
    pictures: list[tuple[str, Plot]] = []
    for name, rows in by_date:
        is_last = len(pictures) == len(by_date) - 1
        foot = _FOOT if is_last else 0
        plot = Plot(top, height=88 + foot, head=8, foot=foot)
        plot.draw_grid([top], lambda x: compact(x, locale), lambda x: money(x, currency, locale))
        for day, row in rows:
            left = (100 - width) * (day - first).days / span
            written = f"{contract_day(day, locale=locale)}: {figure(row.total, currency, locale)}"
            plot.draw_bar(left, width, row.parts, f"{name}, {written}")
        plot.kinds = _kinds([row for _, row in rows])
        if is_last:
            ends = (contract_day(first, locale=locale), contract_day(last, locale=locale))
            plot.labels = _ends(*ends) if first != last else _ends(*ends)[:1]
        pictures.append((name, plot))
    return pictures


def draw_bars(
    items: Sequence[Item], *, height: int = 180, locale: str = DEFAULT_LOCALE
) -> Plot | None:
    """Draw a vertical bar for each item, from left to right; None if no amount is above zero.

    An amount below zero has no bar, only its text.
    """
    top = max((item.amount for item in items), default=Decimal(0))
    if top <= 0:
        return None
    plot = Plot(top, height=height)
    plot.draw_grid(_thin_grid(find_grid(top), plot), lambda amount: compact(amount, locale))
    least = top * _LEAST_HEIGHT / plot.room
    for index, item in enumerate(items):
        plot.draw_slot_bar(
            (index, len(items)),
            {"length": max(item.amount, least) if item.amount > 0 else Decimal(0)},
            f"{item.label}: {item.words}",
            label=item.label,
            url=item.url,
        )
    return plot


def draw_horizontal_bars(
    items: Sequence[Item], whole: Decimal | None = None
) -> tuple[tuple[Item, str], ...]:
    """Return each item with the length of its bar, in per cent of its line.

    `whole` is the amount of a full bar, by default the largest amount.
    """
    top = whole or max((item.amount for item in items), default=Decimal(0))

    def share(amount: Decimal) -> float:
        return max(float(min(amount / top, Decimal(1))) * 100, 0.4) if amount > 0 else 0.0

    return tuple((item, _unit(share(item.amount))) for item in items)


def draw_line(
    points: Iterable[tuple[datetime, Decimal]],
    *,
    write: _Write,
    write_time: Callable[[datetime], str],
    marks: Sequence[Decimal] = (),
    dotted: bool = False,
    height: int = 120,
) -> Plot | None:
    """Draw a line through amounts in the order of time; None for fewer than two times.

    The scale goes from the first mark to the last. If there are no marks, the scale starts at zero,
    so that a small change looks small. In this case, return None if no amount is above zero.

    `write` writes an amount of the grid. With `dotted`, each point has a dot if there are at most
    _MOST_DOTS points. Without `dotted`, only the last point has a dot.
    """
    ordered = sorted(points)
    amounts = [amount for _when, amount in ordered]
    if len(ordered) < 2 or ordered[0][0] == ordered[-1][0]:
        return None
    if not marks and max(amounts) <= 0:
        return None
    low, high = (marks[0], marks[-1]) if marks else (Decimal(0), max(amounts))
    plot = Plot(high, low=low, height=height, head=12)
    plot.draw_grid(marks or _thin_grid(find_grid(high), plot), write)
    plot.draw_course(ordered, dotted=dotted)
    first, last = write_time(ordered[0][0]), write_time(ordered[-1][0])
    plot.labels = _ends(first, last)
    plot.summary = _("from %(lowest)s to %(highest)s, %(first)s to %(last)s") % {
        "lowest": write(min(amounts)),
        "highest": write(max(amounts)),
        "first": first,
        "last": last,
    }
    return plot


def draw_sparkline(points: Iterable[tuple[datetime, Decimal]]) -> Plot | None:
    """Draw a small line from the lowest amount to the highest; None for fewer than two times.

    Equal amounts are a line in the middle. The page also has the change in words.
    """
    ordered = sorted(points)
    if len(ordered) < 2 or ordered[0][0] == ordered[-1][0]:
        return None
    low = min(amount for _when, amount in ordered)
    rise = max(amount for _when, amount in ordered) - low
    plot = Plot(
        rise or Decimal(1),
        low=Decimal(0) if rise else Decimal(-1),
        height=_SPARK_HEIGHT,
        head=_SPARK_MARGIN,
        foot=_SPARK_MARGIN,
    )
    plot.draw_course([(when, amount - low) for when, amount in ordered])
    return plot


class _Row:
    """One instalment, read tolerantly; a malformed or negative amount counts as zero.

    With `rest`, the rest of the total after the known parts is a further part.
    """

    def __init__(self, installment: object, zone: tzinfo | None, *, rest: bool = False) -> None:
        amounts = getattr(installment, "amounts", None)
        self.parts = {kind: _amount(amounts, kind) for kind in _PARTS}
        self.total = sum(self.parts.values(), Decimal(0))
        if rest:
            self.parts[_REST] = max(_amount(amounts, "repayment") - self.total, Decimal(0))
            self.total += self.parts[_REST]
        self.when = getattr(installment, "due_date", None)
        self.due = contract_date(self.when, zone)
        self.zone = zone

    def label(self, spans_years: bool, locale: str) -> str:
        if self.due is None:
            return ""
        if spans_years:
            return write_month(self.due, locale)
        return short_contract_day(self.due, locale=locale)

    def title(self, currency: str, locale: str) -> str:
        written = {kind: figure(part, currency, locale) for kind, part in self.parts.items()}
        total = figure(self.total, currency, locale)
        words = ", ".join(f"{_(kind)} {written[kind]}" for kind, part in self.parts.items() if part)
        head = f"{contract_day(self.when, self.zone, locale)}: {total}"
        return f"{head} ({words})" if words else head


def _amount(amounts: object, kind: str) -> Decimal:
    return max(number(getattr(amounts, kind, None)) or Decimal(0), Decimal(0))


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []


def _kinds(rows: list[_Row]) -> tuple[str, ...]:
    return tuple(kind for kind in KINDS if any(row.parts.get(kind) for row in rows))


def _label_size(index: int, count: int) -> str | None:
    """Return the class of the smallest plot with room for this label; None if none has room.

    A plot has a label at every slot, at every second slot, at every fourth slot and so on. So a
    large plot has all labels of a small plot.
    """
    for size, room in _ROOMS.items():
        at_least = -(-_LABEL_WIDTH * count // room)
        if index % (1 << (at_least - 1).bit_length()) == 0:
            return size
    return None


def _ends(first: str, last: str) -> tuple[Label, Label]:
    return Label("0", first, "start"), Label("100", last, "end")


def _unit(value: float) -> str:
    return f"{value:.1f}"
