"""CSV of everything that a filter finds: streamed, harmless in a spreadsheet, honest at its end."""

import csv
import io
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

import simplejson
from django.db import Error
from django.db.models import Func, TextField
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from lendingadmin.core import audit
from lendingadmin.core.monitoring import metrics
from lendingadmin.lending.errors import LendingError, Throttled
from lendingadmin.lending.forks import ForkSafe

from .requests import PersonRequest

#: Of the sixteen threads of a process (Procfile), and of these for one person.
MOST, MOST_OF_ONE = 2, 1
BROKEN_OFF = gettext_lazy("BROKEN OFF after %(rows)s rows, so this is not everything: %(why)s")


class ExportPlaces(ForkSafe):
    """Counts the exports that are under way in this process, by person."""

    def reset(self) -> None:
        """Nothing is under way in a new process."""
        self._lock = threading.Lock()
        self._taken: Counter[int] = Counter()

    def take(self, person_id: int) -> None:
        """Take a place. Raises Throttled where there is none."""
        with self._lock:
            if self._taken[person_id] >= MOST_OF_ONE:
                raise Throttled(
                    _("An export of yours is under way: let it end first. Nothing was exported.")
                )
            if self._taken.total() >= MOST:
                raise Throttled(
                    _("Others are exporting just now: try again soon. Nothing was exported.")
                )
            self._taken[person_id] += 1
        metrics.EXPORTS.inc()

    def give_back(self, person_id: int) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[person_id] -= 1
            if self._taken[person_id] <= 0:
                del self._taken[person_id]
        metrics.EXPORTS.dec()


places = ExportPlaces()


class ExportPlace:
    """A place among those of this process; it is given back once, at the latest with its object."""

    def __init__(self, person_id: int) -> None:
        places.take(person_id)
        self.give_back = finalize(self, places.give_back, person_id)


logger = logging.getLogger(__name__)

Row = Iterable[object]
Item = TypeVar("Item")

# Where a spreadsheet would take a cell for a formula: this text, or a part of it, where it cuts at
# another separator. Full-width signs are signs to it.
_FORMULA = re.compile(r"^(?=[\t\r])|(^\s*|[;\t\r\n]\s*)(?=[=+\-@＝＋－＠])")
# What can be no formula: nothing, most texts, and a number with its sign, as a phone's is; quicker
# to see than where one begins.
_is_harmless = re.compile(r"(?:\w[^;\t\r\n]*|[+-][0-9]+(?:\.[0-9]+)?)?").fullmatch
# What the CSV writer writes as it came: most cells of a list.
_PLAIN = frozenset({type(None), int, Decimal})
_AT_ONCE = 500
# The right to export, which is also what the trail calls it.
EXPORT = "dashboard.export"


def cell(value: object) -> object:
    """One cell for the CSV writer: a number as it came, nothing as empty, an object as its JSON.

    What a spreadsheet could take for a formula gets a `'` in front.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, bool | dict | list):
        value = simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
    words = str(value)
    return words if _is_harmless(words) else _FORMULA.sub(r"\1'", words)


class MomentText(Func):
    """A moment's column as `timestamp_text` writes it, made by the database.

    Of a row with six moments, to make six values only to write them again takes half of the time.
    """

    arity = 1
    output_field = TextField()
    template = """TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """SQLite keeps the text of a moment: in UTC, with microseconds where it has some."""
        parts = (
            "SUBSTR(%(expressions)s, 1, 10) || 'T' || SUBSTR(%(expressions)s, 12, 8) || '.'"
            " || SUBSTR(SUBSTR(%(expressions)s, 21, 3) || '000', 1, 3) || 'Z'"
        )
        return self.as_sql(compiler, connection, template=parts, **context)


class CsvPage(NamedTuple):
    """Rows that are written at once, and how many were left out because they came before."""

    rows: Iterable[Row]
    repeated: int = 0


def split_into_pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items some hundred at a time: each page is written at once."""
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield page


def csv_response(
    request: PersonRequest,
    filename: str,
    columns: Sequence[str],
    pages: Iterable[CsvPage],
    *,
    subject: str,
    app_id: str = "",
) -> StreamingHttpResponse:
    """Stream pages of rows; the last row says when the service broke off, or listed rows again.

    The trail has that it began, by which filters, and how it ended after how many rows; `subject`
    says there what was exported. Raises Throttled if too many are under way;
    the view declares the quota of a day.
    """
    place = ExportPlace(request.user.pk)
    note = partial(audit.record, request.user, EXPORT, app_id=app_id, subject=subject)
    filters = ", ".join(sorted(name for name, value in request.GET.items() if value))
    note(outcome="started", detail=filters)
    text = _text(columns, pages, note)
    response = StreamingHttpResponse(_Stream(text, place), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


class _Stream:
    """The text of an export, which keeps its place until it ends or its reader leaves."""

    def __init__(self, text: Generator[str], place: ExportPlace) -> None:
        self._text, self._place = text, place

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._text)

    def close(self) -> None:
        """The response is over: it was read whole, or its reader left."""
        self._text.close()
        self._place.give_back()


def _text(
    columns: Sequence[str], pages: Iterable[CsvPage], note: Callable[..., object]
) -> Generator[str]:
    count = repeated = 0
    # A browser that leaves ends the stream from outside.
    ended = "stopped"
    try:
        yield "\ufeff" + _lines([columns])
        for page in pages:
            # A call of `cell` for each would take as long as all else that is done for a row.
            rows = [
                [
                    x if (type(x) is str and _is_harmless(x)) or type(x) in _PLAIN else cell(x)
                    for x in row
                ]
                for row in page.rows
            ]
            yield _lines(rows)
            metrics.EXPORT_ROWS.inc(len(rows))
            count, repeated = count + len(rows), repeated + page.repeated
        if repeated:
            yield _lines([[_repeated(repeated)]])
        ended = "done"
    except LendingError as error:
        yield _lines([[BROKEN_OFF % {"rows": count, "why": error.message}]])
        ended = "broken"
    finally:
        try:
            words = ngettext("%(count)s row", "%(count)s rows", count)
            note(outcome=ended, detail=words % {"count": count})
        except Error as error:
            logger.warning("the end of an export is not in the trail: %s", type(error).__name__)


def back_to_list(request: PersonRequest) -> HttpResponse:
    """To the list of an export whose filter can't be sent; the list says why."""
    match: Any = request.resolver_match
    name = match.url_name.removesuffix("-export")
    return redirect(reverse(name, kwargs=match.kwargs, query=request.GET))


def _repeated(count: int) -> str:
    return ngettext(
        "REPEATED: the service listed %(count)s row again, and it is written once",
        "REPEATED: the service listed %(count)s rows again, and they are written once",
        count,
    ) % {"count": count}


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
