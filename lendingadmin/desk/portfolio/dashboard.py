"""Summary of the last complete snapshot for the home page; each part links to its loans.

Only our own database is read for the summary.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.gateway import LendingApp
from lendingadmin.web.display import formats
from lendingadmin.web.display.charts import (
    Item,
    Plot,
    draw_bars,
    draw_horizontal_bars,
    draw_line,
    draw_sparkline,
)
from lendingadmin.web.display.locales import write_month
from lendingadmin.web.display.money import compact, money
from lendingadmin.web.display.numbers import whole
from lendingadmin.web.display.rates import rate
from lendingadmin.web.display.statuses import find_status
from lendingadmin.web.display.times import calendar_day, day, short_contract_day
from lendingadmin.web.policies import PERFORMANCE, read_words

from .amounts import exactly
from .figures import AT_RISK, Figures
from .loan_list_form import FIGURE, write_performance
from .models import FIGURES_VERSION, Snapshot, SnapshotLoan

_LARGEST = 5
# The most points of a line, because about a hundred snapshots are stored.
_POINTS = 31
# A sparkline covers this time, with a point for each day.
_SPARK = timedelta(days=14)
# The change is measured from the update closest to a week ago, which may be this far from a week.
_WEEK, _ABOUT = timedelta(days=7), timedelta(days=1)
# A change is written in per cent if it is at least 0.01 % and at most this many times the earlier
# amount.
_MOST_TIMES, _LEAST_PART = 10, 10_000
# The heights of the charts in pixels. They leave room for the rest of the page.
_BARS_HEIGHT, _TREND_HEIGHT = 100, 66
# A longer label leaves no room for an amount next to it.
_LONG = 18
Written = Callable[[Decimal], str]
Value = Callable[[Figures], Decimal | None]


@dataclass(frozen=True)
class Tile:
    """A figure: its name, its amount, a description, and the address of its loans.

    `amount` is None if the figure is not known. `untold` is the number of loans that lack the
    values of the figure; `untold_url` is the address of these loans. `is_of_open` is True if the
    figure is of open loans only.

    `change` is the change within about a week, in words; empty if unknown. `is_worse` is True if
    the change is clearly bad.
    """

    label: str
    amount: Decimal | None
    words: str
    url: str
    untold: int = 0
    untold_url: str = ""
    is_of_open: bool = True
    sparkline: Plot | None = None
    change: str = ""
    is_worse: bool = False


@dataclass(frozen=True)
class Picture:
    """Bars, and the same data as numbers. `untold` is the number of loans without the values.

    Vertical bars have a `plot`; horizontal bars have their lengths in per cent.
    """

    items: tuple[Item, ...]
    plot: Plot | None = None
    horizontal: tuple[tuple[Item, str], ...] = ()
    untold: int = 0
    untold_url: str = ""


@dataclass(frozen=True)
class Series:
    """One figure in several snapshots, the newest first.

    Each row has a time, the figure in words, and the address of its loans. The address is empty if
    the loans of the snapshot are not stored.
    """

    name: str
    rows: tuple[tuple[datetime, str, str], ...]
    plot: Plot | None

    @property
    def described(self) -> str:
        """Text instead of the picture, for people who can't see the picture."""
        words = _("%(name)s over %(count)s updates. The table below has the numbers.")
        return words % {"name": self.name, "count": len(self.rows)}


@dataclass(frozen=True)
class PortfolioSummary:
    """All content of the home page about a snapshot.

    `opened_by` says how loans were recognised as open. `older_counts` is the number of complete
    snapshots whose figures have another meaning; these are not in the trends.
    """

    snapshot: Snapshot
    tiles: tuple[Tile, ...]
    at_risk: Picture
    at_risk_of: Tile
    months: Picture
    performance: Picture
    series: tuple[Series, ...]
    arrears: Sequence[SnapshotLoan]
    arrears_untold: int
    all_arrears_url: str
    opened_by: str
    older_counts: int


class Counts(NamedTuple):
    """Snapshots of an app for the home page.

    `last` is the snapshot that began last, in any state. All others are complete. `complete` is the
    newest of them, `shown` are those for the trends, and `daily` has the last snapshot of each day
    in the lender's time zone, for the sparklines. `older` is the number of snapshots whose figures
    have another meaning.
    """

    last: Snapshot | None
    complete: Snapshot | None
    shown: list[Snapshot]
    daily: dict[date, Snapshot]
    older: int


def read_counts(app: LendingApp) -> Counts:
    """Return the snapshots of an app for the home page."""
    every = Snapshot.objects.filter(app_id=app.app_id).order_by("-id")
    keys = list(every.values_list("pk", "state", "figures_version", "ended_at"))
    complete = [
        (pk, version, at) for pk, state, version, at in keys if state == Snapshot.State.DONE
    ]
    ended = {pk: at for pk, version, at in complete if version == FIGURES_VERSION}
    points = _pick_points(list(ended))
    days = _pick_days((pk, calendar_day(at, app.zone)) for pk, at in ended.items())
    newest = [pk for pk, *_rest in (*keys[:1], *complete[:1])]
    rows = {row.pk: row for row in every.filter(pk__in={*newest, *points, *days.values()})}
    return Counts(
        rows.get(keys[0][0]) if keys else None,
        rows.get(complete[0][0]) if complete else None,
        [rows[pk] for pk in points if pk in rows],
        {day: rows[pk] for day, pk in days.items() if pk in rows},
        len(complete) - len(ended),
    )


def build_summary(app: LendingApp, counts: Counts) -> PortfolioSummary | None:
    """Return the summary of an app's portfolio.

    Return None if no complete snapshot has figures with the current meaning.
    """
    rows = {row.pk: row for row in (*counts.shown, *counts.daily.values())}
    figures = {pk: Figures.from_json(row.figures) for pk, row in rows.items()}
    kept = [(row, figures[row.pk]) for row in counts.shown]
    daily = {day: (row, figures[row.pk]) for day, row in counts.daily.items()}
    return _SummaryBuilder(app, *kept[0], daily).build(kept, counts.older) if kept else None


def _pick_points(numbers: list[int]) -> list[int]:
    """Return at most `_POINTS` of these numbers, evenly chosen, with the first and the last."""
    if len(numbers) <= _POINTS:
        return numbers
    return [numbers[at * (len(numbers) - 1) // (_POINTS - 1)] for at in range(_POINTS)]


def _pick_days(ended: Iterable[tuple[int, date | None]]) -> dict[date, int]:
    """Return the newest of these numbers for each day of the last `_SPARK`.

    The newest come first.
    """
    found: dict[date, int] = {}
    for number, on in ended:
        if on is not None and on > next(iter(found), on) - _SPARK:
            found.setdefault(on, number)
    return found


class _SummaryBuilder:
    """Builds the parts of one snapshot's summary; `daily` has the figures of the last days."""

    def __init__(
        self,
        app: LendingApp,
        snapshot: Snapshot,
        figures: Figures,
        daily: dict[date, tuple[Snapshot, Figures]],
    ) -> None:
        self.app, self.snapshot, self.figures, self.daily = app, snapshot, figures, daily
        self.locale = formats.locale()

    def build(self, kept: list[tuple[Snapshot, Figures]], older: int) -> PortfolioSummary:
        return PortfolioSummary(
            snapshot=self.snapshot,
            tiles=(
                self._add_change(self._tile(_("Outstanding"), "outstanding"), "outstanding"),
                self._add_change(self._overdue(), "overdue"),
                self._paid(),
            ),
            at_risk=self._at_risk(),
            at_risk_of=self._tile(
                _("Outstanding principal"), "principal_outstanding", of="at_risk"
            ),
            months=self._months(),
            performance=self._performance(),
            series=self._build_series(kept),
            arrears=_list_arrears(self.snapshot),
            arrears_untold=self.figures.untold.get("overdue", 0),
            all_arrears_url=self._url("overdue"),
            opened_by=self._write_opened_by(),
            older_counts=older,
        )

    def _write_opened_by(self) -> str:
        by_word, by_dates = (self.figures.opened_by.get(by, 0) for by in ("word", "dates"))
        if not by_dates:
            return _("status word") if by_word else ""
        dates = _("settlement date, result and start")
        if not by_word:
            return dates
        words = _("status word, or for %(loans)s without a status word: %(dates)s")
        return words % {"loans": self._loans(by_dates), "dates": dates}

    def _url(self, by: str, snapshot: Snapshot | None = None) -> str:
        query = {"show": FIGURE + by, "count": (snapshot or self.snapshot).pk}
        return reverse("loan-list", args=[self.app.app_id], query=query)

    def _money(self, amount: Decimal) -> str:
        return money(amount, self.app.currency, self.locale)

    def _loans(self, count: int) -> str:
        words = ngettext("%(count)s loan", "%(count)s loans", count)
        return words % {"count": whole(count, self.locale)}

    def _tile(
        self, label: str, by: str, more: str = "", of: str = "", is_of_open: bool = True
    ) -> Tile:
        """Return the tile of a figure.

        `of` is the key of the values that the figure needs, if this key differs from `by`.
        """
        of = of or by
        total, lacking = self.figures.sums[by], self.figures.untold.get(of, 0)
        if not (total.loans or self.figures.is_known(of)):
            words = _("not reported by the service")
            return Tile(label, None, words, "", lacking, self._url(f"untold:{of}"), is_of_open)
        words = ngettext("on %(count)s loan", "on %(count)s loans", total.loans)
        if is_of_open:
            words = ngettext("on %(count)s open loan", "on %(count)s open loans", total.loans)
        words %= {"count": whole(total.loans, self.locale)}
        return Tile(
            label,
            total.amount,
            f"{words}, {more}" if more else words,
            self._url(by),
            lacking,
            self._url(f"untold:{of}"),
            is_of_open,
        )

    def _add_change(self, tile: Tile, by: str) -> Tile:
        """Return the tile with a sparkline, and with the change of the figure in a week."""
        found = {
            day: (row.ended_at, figures.sums[by].amount)
            for day, (row, figures) in self.daily.items()
            if row.ended_at is not None and figures.is_known(by)
        }
        week_ago = self._find_week_ago(found)
        if tile.amount is None or week_ago is None:
            return replace(tile, sparkline=draw_sparkline(found.values()))
        before = found[week_ago][1]
        return replace(
            tile,
            sparkline=draw_sparkline(found.values()),
            change=self._write_change(before, tile.amount, week_ago),
            is_worse=by == "overdue" and tile.amount > before,
        )

    def _find_week_ago(self, days: Iterable[date]) -> date | None:
        """Return the day closest to a week before the newest day; None if no day is close."""
        wanted = next(iter(self.daily)) - _WEEK
        near = [day for day in days if abs(day - wanted) <= _ABOUT]
        return min(near, key=lambda day: abs(day - wanted), default=None)

    def _write_change(self, before: Decimal, now: Decimal, since: date) -> str:
        """Return the change in per cent, or as an amount if a percentage would mean nothing."""
        words = {"day": short_contract_day(since, locale=self.locale)}
        if now == before:
            return _("no change since %(day)s") % words
        with exactly():
            change = now - before
            is_share = 0 < before <= abs(change) * _LEAST_PART and 0 <= now <= before * _MOST_TIMES
        written = self._rate(change / before) if is_share else self._money(change)
        words["change"] = written if change < 0 else f"+{written}"
        return _("%(change)s since %(day)s") % words

    def _overdue(self) -> Tile:
        owed, late = self.figures.sums["outstanding"].amount, self.figures.sums["overdue"].amount
        share = ""
        if owed > 0:
            share = _("%(share)s of the outstanding amount") % {"share": self._rate(late / owed)}
        return self._tile(_("Overdue"), "overdue", share)

    def _paid(self) -> Tile:
        label = _("Paid since last update")
        if self.snapshot.previous_id is None:
            return Tile(label, None, _("available after the next update"), "", is_of_open=False)
        return self._tile(label, "paid", is_of_open=False)

    def _at_risk(self) -> Picture:
        items = []
        for days in AT_RISK:
            total, share = self.figures.sums[f"par{days}"], self.figures.share_at_risk(days)
            late = ngettext(
                "%(loans)s more than %(days)s day late",
                "%(loans)s more than %(days)s days late",
                days,
            ) % {"loans": self._loans(total.loans), "days": whole(days, self.locale)}
            owed = "" if share is None else self._money(total.amount)
            items.append(
                Item(
                    label=_("PAR %(days)s") % {"days": days},
                    amount=max(share or Decimal(0), Decimal(0)),
                    words=_("%(amount)s on %(loans)s") % {"amount": owed, "loans": late}
                    if owed
                    else late,
                    url=self._url(f"par{days}"),
                    value=self._rate(share),
                    note=owed,
                    tone="bad",
                )
            )
        return self._draw_horizontal(items, "at_risk", whole=Decimal(1))

    def _months(self) -> Picture:
        items = []
        for month, total in self.figures.months.items():
            label = write_month(date(int(month[:4]), int(month[5:]), 1), self.locale)
            words = _("%(amount)s on %(loans)s") % {
                "amount": self._money(total.amount),
                "loans": self._loans(total.loans),
            }
            items.append(
                Item(
                    label,
                    total.amount,
                    words,
                    self._url(f"month:{month}"),
                    compact(total.amount, self.locale),
                )
            )
        return self._picture(
            items, "months", plot=draw_bars(items, height=_BARS_HEIGHT, locale=self.locale)
        )

    def _performance(self) -> Picture:
        ordered = sorted(self.figures.performance.items(), key=lambda one: _sort_key(one[0]))
        items, is_known = [], self.figures.is_known("outstanding")
        for key, total in ordered:
            status = find_status(key, read_words(PERFORMANCE))
            label = write_performance(key)
            owed = self._money(total.amount) if is_known else ""
            words = self._loans(total.loans)
            if owed:
                words = _("%(loans)s, %(amount)s outstanding") % {"loans": words, "amount": owed}
            items.append(
                Item(
                    label=label,
                    amount=Decimal(total.loans),
                    words=words,
                    url=self._url(f"performance:{key}"),
                    value=whole(total.loans, self.locale),
                    note="" if len(label) > _LONG else owed,
                    tone=status.tone if status else "",
                )
            )
        return self._draw_horizontal(items, "performance")

    def _draw_horizontal(self, items: list[Item], of: str, whole: Decimal | None = None) -> Picture:
        return self._picture(items, of, horizontal=draw_horizontal_bars(items, whole))

    def _picture(self, items: list[Item], of: str, **drawn: Any) -> Picture:
        untold, url = self.figures.untold.get(of, 0), self._url(f"untold:{of}")
        return Picture(tuple(items), **drawn, untold=untold, untold_url=url)

    def _build_series(self, kept: list[tuple[Snapshot, Figures]]) -> tuple[Series, ...]:
        def build(name: str, by: str, value: Value, written: Written, axis: Written) -> Series:
            rows, points = [], []
            for one, figures in kept:
                found = value(figures)
                if found is not None and one.ended_at is not None:
                    url = self._url(by, one) if one.has_loans else ""
                    rows.append((one.ended_at, written(found), url))
                    points.append((one.ended_at, found))
            return Series(
                name,
                tuple(rows),
                draw_line(points, write=axis, write_time=self._write_day, height=_TREND_HEIGHT),
            )

        def amount(name: str, by: str) -> Series:
            def value(one: Figures) -> Decimal | None:
                return one.sums[by].amount if one.is_known(by) else None

            return build(name, by, value, self._money, self._roughly)

        return (
            amount(_("Outstanding"), "outstanding"),
            amount(_("Overdue"), "overdue"),
            build(
                _("PAR %(days)s") % {"days": 30},
                "par30",
                lambda one: one.share_at_risk(30),
                self._rate,
                self._rate,
            ),
        )

    def _roughly(self, amount: Decimal) -> str:
        return compact(amount, self.locale)

    def _write_day(self, when: datetime) -> str:
        return day(when, self.app.zone, self.locale)

    def _rate(self, share: Decimal | None) -> str:
        return rate(share, self.locale)


def _list_arrears(snapshot: Snapshot) -> list[SnapshotLoan]:
    """Return the open loans with the largest overdue amounts. Negative amounts are left out."""
    rows = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True, overdue_rank__isnull=False)
    return list(rows.filter(overdue_rank__gt=0).order_by("-overdue_rank", "id")[:_LARGEST])


def _sort_key(key: str) -> tuple[int, int, str]:
    """Return a key that sorts numbers first, then words, then loans without a status."""
    if key.isascii() and key.isdigit():
        return (0, int(key), "")
    return (1 if key else 2, 0, key)
