"""Pages of a table that may hold millions of rows: each begins where the one before ended.

A page is read in the order of an index, from one key on, so that the last page takes as long as the
first and nothing is counted. Rows that are written meanwhile shift nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, Q, QuerySet, When
from django.http import HttpRequest

# So many rows are looked through for a page at most. What an index finds at once needs no such
# limit; it is for filters that few rows meet.
AT_MOST = 5_000

# A list of what waits for somebody says how many that are, up to here.
COUNTED = 1000

Key = tuple[datetime, int]


class Slice(NamedTuple):
    """The rows of one page, and the number of the row behind which the next begins, if any.

    `total` is the length of the whole list as far as `COUNTED`, or one more; None where the search
    did not come to its end. `looked_through` says that the page ends where the search did, not
    where it was full.
    """

    rows: list[Any]
    next: int | None = None
    total: int | None = None
    looked_through: bool = False

    @property
    def total_in_words(self) -> str:
        """The total for people, empty where it is not known."""
        return "" if self.total is None else spell_count(self.total)


def read_slice(
    sources: Sequence[QuerySet[Any]],
    column: str,
    size: int,
    *,
    behind: int | None = None,
    newest_first: bool = True,
    only: Q | None = None,
) -> Slice:
    """Read a page in the order of `column`, a moment, and the primary key.

    Each of the sources is one that an index gives in that order, or short; their rows are merged.
    `only` filters further by what no index serves: then at most AT_MOST rows of a source are looked
    through. `behind` is the number of a row, wherever it is listed by now.
    """
    order = _Order(column, newest_first)
    start = order.key_of(sources[0], behind) if sources else None
    searches = [
        _search(order, source.filter(order.beyond(start)) if start else source, only)
        for source in sources
    ]
    found = {row.pk: row for rows, _ in searches for row in rows[: size + 1]}
    rows = sorted(found.values(), key=order.key, reverse=newest_first)
    ends = [end for _, end in searches if end]
    if ends:
        # Behind the nearest of the ends, a source may hold what was not looked at here.
        nearest = max(ends) if newest_first else min(ends)
        rows = [row for row in rows if not order.is_behind(order.key(row), nearest)]
        if len(rows) <= size:
            return Slice(rows, nearest[1], looked_through=True)
    is_whole = not start and len(rows) <= size
    total = len(rows) if is_whole else _count(order, sources, only)
    return Slice(rows[:size], rows[size - 1].pk if len(rows) > size else None, total)


def _search(
    order: "_Order", source: QuerySet[Any], only: Q | None
) -> tuple[QuerySet[Any], Key | None]:
    """The rows of a source in order, and the key that the search ends with before the source."""
    rows = order.apply(source)
    if only is None:
        return rows, None
    end = order.end_of(rows)
    if end:
        rows = rows.filter(order.up_to(end))
    return rows.filter(unindexed(only)), end


def _count(order: "_Order", sources: Sequence[QuerySet[Any]], only: Q | None) -> int | None:
    """How many rows the sources hold in all, up to COUNTED + 1; a row of several counts once."""
    numbers: set[int] = set()
    for source in sources:
        rows, end = _search(order, source, only)
        numbers.update(rows.values_list("pk", flat=True)[: COUNTED + 1])
        if len(numbers) > COUNTED:
            return COUNTED + 1
        if end:
            return None
    return len(numbers)


def unindexed(condition: Q) -> Case:
    """The condition where no database sees an index for it, so that the rest of a query decides.

    SQLite keeps no figures of its tables and takes `app_id` for rare.
    """
    return Case(When(condition, then=True), default=False, output_field=BooleanField())


class _Order(NamedTuple):
    column: str
    newest_first: bool

    def apply(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        sign = "-" if self.newest_first else ""
        return rows.order_by(f"{sign}{self.column}", f"{sign}pk")

    def key(self, row: Any) -> Key:
        return getattr(row, self.column), row.pk

    def key_of(self, rows: QuerySet[Any], number: int | None) -> Key | None:
        """The key of a row by its number; None where there is none."""
        if number is None:
            return None
        every = rows.model._default_manager.filter(pk=number)
        key: Key | None = every.values_list(self.column, "pk").first()
        return key

    def beyond(self, key: Key) -> Q:
        """Rows behind this key. The range is for the index, the rest is for equal moments."""
        way = "lt" if self.newest_first else "gt"
        moment, number = key
        same = Q(**{f"{self.column}__{way}": moment}) | Q(**{f"pk__{way}": number})
        return Q(**{f"{self.column}__{way}e": moment}) & same

    def up_to(self, key: Key) -> Q:
        """Rows that come before this key, and its own."""
        way = "gt" if self.newest_first else "lt"
        moment, number = key
        same = Q(**{f"{self.column}__{way}": moment}) | Q(**{f"pk__{way}e": number})
        return Q(**{f"{self.column}__{way}e": moment}) & same

    def end_of(self, rows: QuerySet[Any]) -> Key | None:
        """The key of the last row that is looked at, where more come behind it."""
        keys = list(rows.values_list(self.column, "pk")[AT_MOST - 1 : AT_MOST + 1])
        return keys[0] if len(keys) == 2 else None

    def is_behind(self, key: Key, other: Key) -> bool:
        return key < other if self.newest_first else key > other


def spell_count(count: int) -> str:
    """A number that was counted no further than COUNTED + 1, for people: “312”, “1,000+” or “”."""
    return f"{COUNTED:,}+" if count > COUNTED else str(count or "")


def build_pager(
    request: HttpRequest, page: Slice, parameter: str = "before", note: str = ""
) -> dict[str, object]:
    """What `_pager.html` shows of a slice; the place stands in the address under `parameter`."""
    if page.looked_through:
        note = f"{AT_MOST:,} entries looked through, older ones are next"
    return {
        "count": len(page.rows),
        "total": page.total_in_words,
        "next_url": _address(request, parameter, page.next) if page.next else "",
        "first_url": _address(request, parameter) if request.GET.get(parameter) else "",
        "note": note,
    }


def _address(request: HttpRequest, parameter: str, behind: int | None = None) -> str:
    """This page's address with the same filters, from its top or from behind one row."""
    query = request.GET.copy()
    query.pop(parameter, None)
    if behind:
        query[parameter] = str(behind)
    return f"{request.path}?{query.urlencode()}"
