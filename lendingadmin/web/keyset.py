"""Pages of a table that may have millions of rows. Each begins where the page before ended.

A page is read in the order of an index, from a key on. The last page takes as long as the first,
because earlier rows are not counted. New rows do not shift the pages.
"""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BooleanField, Case, Q, QuerySet, When
from django.http import HttpRequest
from django.utils.translation import gettext as _

from .requests import address_with

# The most rows that are searched for one page if the filter has no index, because such a filter may
# match few rows.
AT_MOST = 5_000

# The rows of a list are counted up to this limit.
COUNTED = 1000

Key = tuple[datetime, int]


class Slice(NamedTuple):
    """The rows of one page, and the key of the last row before the next page.

    `next` is None on the last page. `total` is the number of rows in the entire list, counted up to
    COUNTED + 1. It is None if the search stopped before the end of the list. `looked_through` is
    True if the search stopped before the page was full.
    """

    rows: list[Any]
    next: int | str | None = None
    total: int | None = None
    looked_through: bool = False

    @property
    def total_in_words(self) -> str:
        """The total in words; empty if it is not known."""
        return "" if self.total is None else spell_count(self.total)


def read_slice(
    rows: QuerySet[Any],
    column: str,
    size: int,
    *,
    behind: int | None = None,
    newest_first: bool = True,
    only: Q | None = None,
) -> Slice:
    """Return a page of rows in the order of the time in `column`, then of the primary key.

    There must be an index in this order, or only few rows. `only` is another filter, without an
    index. With `only`, at most AT_MOST rows are searched. The page starts after the row with the id
    `behind`, or at the beginning if this row no longer exists.
    """
    sign, later, earlier = ("-", "lt", "gt") if newest_first else ("", "gt", "lt")
    whole = rows.order_by(f"{sign}{column}", f"{sign}pk")

    def search(among: QuerySet[Any]) -> tuple[QuerySet[Any], Key | None]:
        """Return the rows to show, and the key where the search stops; None if it ends."""
        if only is None:
            return among, None
        last = list(among.values_list(column, "pk")[AT_MOST - 1 : AT_MOST + 1])
        if len(last) == 2:
            among = among.filter(_build_range(column, last[0], earlier, "e"))
        return among.filter(unindexed(only)), last[0] if len(last) == 2 else None

    every = rows.model._default_manager.filter(pk=behind)
    start = every.values_list(column, "pk").first() if behind is not None else None
    found, end = search(whole.filter(_build_range(column, start, later)) if start else whole)
    page = list(found[: size + 1])
    if end and len(page) <= size:
        return Slice(page, end[1], looked_through=True)
    if not start and len(page) <= size:
        return Slice(page, total=len(page))
    counted, end = search(whole) if start else (found, end)
    total: int | None = counted.values("pk")[: COUNTED + 1].count()
    if end and total is not None and total <= COUNTED:
        total = None
    return Slice(page[:size], page[size - 1].pk if len(page) > size else None, total)


def read_slices(rows: QuerySet[Any, Any], column: str, size: int) -> Iterator[list[Any]]:
    """Yield all rows, newest first, in slices of `size` rows.

    No cursor and no transaction is open between two slices, because a pooler may share connections
    and a reader may be slow. There must be an index in the order of the time in `column`, then of
    the primary key. Each row has an `id`.
    """
    whole = rows.order_by(f"-{column}", "-pk")
    found = list(whole[:size])
    while found:
        yield found
        if len(found) < size:
            return
        last = rows.model._default_manager.filter(pk=found[-1].id)
        key = last.values_list(column, "pk")[0]
        found = list(whole.filter(_build_range(column, key, "lt"))[:size])


def _build_range(column: str, key: Key, lookup: str, or_same: str = "") -> Q:
    """Return the condition for rows on one side of a key.

    The range of times uses an index. The other part orders rows with equal times. With `or_same`
    "e", the row of the key is included.
    """
    moment, number = key
    same = Q(**{f"{column}__{lookup}": moment}) | Q(**{f"pk__{lookup}{or_same}": number})
    return Q(**{f"{column}__{lookup}e": moment}) & same


def build_prefix(column: str, start: str) -> Q:
    """Return the condition for rows whose text in a column begins with `start`, for an index.

    SQLite's LIKE uses no index, and treats `b-1` as `B-1`. SQLite orders text by the codes of the
    characters, so a range finds these rows. PostgreSQL's order may differ, so its index is made for
    LIKE.
    """
    if connection.vendor == "sqlite":
        return Q(**{f"{column}__gte": start, f"{column}__lt": start + chr(sys.maxunicode)})
    return Q(**{f"{column}__startswith": start})


def unindexed(condition: Q) -> Case:
    """Return the condition in a form that no index serves, so that the database uses another index.

    SQLite has no statistics of its tables, and would choose the index of `app_id`.
    """
    return Case(When(condition, then=True), default=False, output_field=BooleanField())


def count_each(lists: Sequence[QuerySet[Any]]) -> list[int]:
    """Return the number of rows of each query, counted up to COUNTED + 1.

    One query counts all of them, because separate queries would take longer than the counting.
    """
    return run_counts(*write_counts(lists))


def write_counts(lists: Sequence[QuerySet[Any]]) -> tuple[str, tuple[Any, ...]]:
    """Return the query that counts the rows of each list, and its parameters; "" for no lists."""
    asked = [_write_count(rows.order_by().values("pk")[: COUNTED + 1]) for rows in lists]
    query = ", ".join(sql for sql, _params in asked)
    params = tuple(one for _sql, params in asked for one in params)
    return "SELECT " + query if query else "", params


def run_counts(query: str, params: Sequence[Any]) -> list[int]:
    """Return the counts from a query of `write_counts`; none for an empty query."""
    if not query:
        return []
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        return list(cursor.fetchone())


def _write_count(rows: QuerySet[Any]) -> tuple[str, Sequence[Any]]:
    """Return the SQL that counts these rows, with its parameters."""
    try:
        sql, params = rows.query.sql_with_params()
    except EmptyResultSet:
        return "0", ()
    return f"(SELECT COUNT(*) FROM ({sql}) AS counted)", params  # noqa: S608


def filter_in_order(rows: QuerySet[Any], condition: Q, count: int) -> QuerySet[Any]:
    """Return the rows that meet a condition whose index is not in the order of the page.

    `count` is the number of these rows. If there are many, the database reads all rows in the order
    of the page and skips the others. If there are few, the database sorts them.
    """
    return rows.filter(condition if count <= AT_MOST else unindexed(condition))


def spell_count(count: int) -> str:
    """Return a count as text for a page: “312”, “1,000+” above COUNTED, or “” for none."""
    return f"{COUNTED:,}+" if count > COUNTED else str(count or "")


def build_pager(
    request: HttpRequest, page: Slice, parameter: str = "before", note: str = ""
) -> dict[str, object]:
    """Return the content of `_pager.html`.

    `parameter` is the name of the address parameter with the key of the last row.
    """
    if page.looked_through:
        note = _("%(count)s entries searched; the next page searches older entries") % {
            "count": f"{AT_MOST:,}"
        }
    return {
        "count": len(page.rows),
        "total": page.total_in_words,
        "next_url": address_with(request, {parameter: str(page.next)}) if page.next else "",
        "first_url": address_with(request, {parameter: ""}) if request.GET.get(parameter) else "",
        "note": note,
    }
