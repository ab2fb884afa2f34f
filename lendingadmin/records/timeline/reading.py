"""Read the sources of a timeline: the service's sources in parallel, then our own for one month.

For the counts of all months, only the times of our own rows are read. The rows are read for one
month, one page at a time. So a timeline of thousands of entries opens as fast as a short timeline.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from heapq import merge
from itertools import groupby, islice
from typing import Any, NamedTuple

from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.web import errors
from lendingadmin.web.timeline import Found, Item, LiveReads, OwnRows, Source, Subject

PAGE = 100
# The allowed years. The service may send a time in any year, but only these years have a next month
# in all time zones.
YEARS = range(2, 9999)


class Month(NamedTuple):
    """A month of the lender's calendar, such as `2026-11`."""

    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year:04}-{self.number:02}"

    @property
    def next(self) -> "Month":
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    def begin(self, zone: tzinfo) -> datetime:
        """Return the first moment of the month in a zone."""
        return datetime(self.year, self.number, 1, tzinfo=zone)

    @classmethod
    def of(cls, moment: datetime, zone: tzinfo) -> "Month":
        """Return the month of a time in a zone."""
        there = moment.astimezone(zone)
        return cls(there.year, there.month)

    @classmethod
    def parse(cls, text: str) -> "Month | None":
        """Return the month in an address; None if the text names no month."""
        year, dash, number = text.partition("-")
        is_figures = dash and text.isascii() and (year + number).isdigit()
        if not is_figures or (len(year), len(number)) != (4, 2):
            return None
        is_month = 1 <= int(number) <= 12 and int(year) in YEARS
        return cls(int(year), int(number)) if is_month else None


class Reading(NamedTuple):
    """The result of reading one source: the items and the time, or the card of the error."""

    source: Source
    read_at: datetime
    found: Found | None = None
    card: errors.Card | None = None


class TimelineEntry(NamedTuple):
    """One item and its source."""

    item: Item
    source: Source


class Timeline(NamedTuple):
    """Content of the page: the readings of the sources, the months with counts, and one month.

    `month` is the open month; None if there are no items. The next page of the month has the items
    before `older`, which is None on the last page.
    """

    readings: list[Reading]
    months: list[tuple[Month, int]]
    month: Month | None
    entries: list[TimelineEntry]
    older: datetime | None = None

    @property
    def gaps(self) -> list[Reading]:
        """The readings of sources that could not be read."""
        return [one for one in self.readings if one.card]

    @property
    def live(self) -> list[Reading]:
        """The readings of the service's sources."""
        return [one for one in self.readings if one.source.prepare]

    @property
    def own(self) -> list[Reading]:
        """The readings of our own sources."""
        return [one for one in self.readings if not one.source.prepare]

    @property
    def total(self) -> int:
        """Number of items in all months."""
        return sum(count for _month, count in self.months)


def read_timeline(
    subject: Subject,
    sources: Sequence[Source],
    month: Month | None = None,
    before: datetime | None = None,
) -> Timeline:
    """Return the timeline of these sources with `month` open, or the newest month with items.

    A page has the items of that month before `before`, or the newest items if `before` is None.
    """
    readings = _read_live(subject, sources)
    live = [
        TimelineEntry(item, one.source)
        for one in readings
        if one.found
        for item in one.found.items
        if item.moment.year in YEARS
    ]
    now, own = timezone.now(), [(one, rows) for one in sources for rows in one.rows]
    readings += [Reading(one, now) for one in sources if one.rows]
    months = _count_months(
        [*(entry.item.moment for entry in live), *_list_moments(subject, (x for _, x in own))],
        subject.app.zone,
    )
    newest = next((one for one, _ in months if one.begin(subject.app.zone) <= now), None)
    opened = month or newest or (months[0][0] if months else None)
    order = {one.key: at for at, one in enumerate(sources)}
    readings.sort(key=lambda one: order[one.source.key])
    if opened is None:
        return Timeline(readings, months, None, [])
    entries, older = _read_month(subject, live, own, opened, before)
    return Timeline(readings, months, opened, entries, older)


def _read_live(subject: Subject, sources: Sequence[Source]) -> list[Reading]:
    """Return the readings of the service's sources, in parallel; each may fail separately."""
    prepared = [(one, one.prepare(subject)) for one in sources if one.prepare]
    reads: list[tuple[Source, LiveReads]] = [(one, live) for one, live in prepared if live]
    calls = [call for _, live in reads for call in live.calls]
    results = iter(read_in_parallel(gateway.client(), *calls) if calls else ())
    readings = []
    for source, live in reads:
        try:
            found = live.finish(list(islice(results, len(live.calls))))
            readings.append(Reading(source, found.read_at, found))
        except LendingError as error:
            readings.append(Reading(source, timezone.now(), card=errors.card(error)))
    return readings


def _list_moments(subject: Subject, own: Iterable[OwnRows]) -> Iterable[datetime]:
    for rows in own:
        found = rows.find(subject).filter(**{f"{rows.moment}__isnull": False})
        yield from found.order_by().values_list(rows.moment, flat=True)


def _count_months(moments: Iterable[datetime], zone: tzinfo) -> list[tuple[Month, int]]:
    """Return the months with items and the number of items, the newest first.

    Count the times by quarter of an hour first, because there are far fewer quarters than times.
    Time zones differ by full quarters, so each quarter is in one month only.
    """
    there = (moment.astimezone(UTC) for moment in moments)
    quarters = Counter(
        one.replace(minute=one.minute // 15 * 15, second=0, microsecond=0) for one in there
    )
    months: Counter[Month] = Counter()
    for quarter, count in quarters.items():
        months[Month.of(quarter, zone)] += count
    return sorted(months.items(), reverse=True)


def _read_month(
    subject: Subject,
    live: Iterable[TimelineEntry],
    own: Iterable[tuple[Source, OwnRows]],
    month: Month,
    before: datetime | None,
) -> tuple[list[TimelineEntry], datetime | None]:
    """Return a page of a month, the newest first, and the `before` of the next page or None.

    Items with the same time are on the same page, so no item is lost between two pages.
    """
    since, until = month.begin(subject.app.zone), month.next.begin(subject.app.zone)
    if before is not None:
        until = min(until, before)
    within = (since, until)
    lists = [
        [
            TimelineEntry(rows.describe(one, subject), source)
            for one in _list_rows(rows, subject, within)
        ]
        for source, rows in own
    ]
    lists.append(
        sorted((one for one in live if since <= one.item.moment < until), key=_newest_first)
    )
    merged, page = merge(*lists, key=_newest_first), list[TimelineEntry]()
    for _moment, together in groupby(merged, key=lambda one: one.item.moment):
        if len(page) >= PAGE:
            return page, page[-1].item.moment
        page += together
    return page, None


def _list_rows(rows: OwnRows, subject: Subject, within: tuple[datetime, datetime]) -> list[Any]:
    """Return the newest rows within these times, as many as a page may need.

    If there are more, the list has all rows with the time of the last row, and one older row.
    """
    window = dict(zip((f"{rows.moment}__gte", f"{rows.moment}__lt"), within, strict=True))
    found = rows.find(subject).filter(**window).order_by(f"-{rows.moment}", "-pk")
    page = list(found[: PAGE + 1])
    if len(page) > PAGE:
        last = getattr(page[-1], rows.moment)
        same = found.filter(**{rows.moment: last})
        page += same.exclude(pk__in=[one.pk for one in page])
        page += found.filter(**{f"{rows.moment}__lt": last})[:1]
    return page


def _newest_first(entry: TimelineEntry) -> timedelta:
    return datetime.max.replace(tzinfo=UTC) - entry.item.moment
