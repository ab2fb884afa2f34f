"""CSV or XLSX files with all rows that a filter finds. They are safe in a spreadsheet.

Columns have the words of the screen, and times in the lender's zone. With `?technical=1` they have
the API's names, and values as received. CSV is streamed; with `?format=xlsx` the file is a
workbook. The last row is a note if rows are missing.
"""

import csv
import io
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

from django.conf import settings
from django.db import Error
from django.db.models import Func, TextChoices, TextField
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, override

from lendingadmin.core import audit
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.monitoring import metrics
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.errors import LendingError, Throttled
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.values import moment
from lendingadmin.web.display.numbers import number
from lendingadmin.web.display.rates import to_percent
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.display.templatetags import statuses
from lendingadmin.web.display.times import contract_date

from . import xlsx
from .requests import PersonRequest

#: The most exports that run at once in a process (16 threads, see Procfile), and of one person.
MOST, MOST_OF_ONE = 2, 1
XLSX = "xlsx"
#: The last line of a workbook that can't contain more rows.
CUT_OFF = gettext_noop("CUT OFF after %(rows)s rows. Export CSV for all rows")
#: The last line of an export that ended early because of an error of the service.
BROKEN_OFF = gettext_noop("STOPPED after %(rows)s rows, so this export is not complete: %(why)s")


class ExportPlaces(ForkSafe):
    """Counter of the running exports of this process, by person."""

    def reset(self) -> None:
        """Start at zero, because no export is running in a new process."""
        self._lock = threading.Lock()
        self._taken: Counter[int] = Counter()

    def take(self, person_id: int) -> None:
        """Take a slot for an export of this person. Raise Throttled if no slot is free."""
        with self._lock:
            if self._taken[person_id] >= MOST_OF_ONE:
                raise Throttled(
                    _(
                        "Not exported. You have another export that is still running. Wait "
                        "until that export ends."
                    )
                )
            if self._taken.total() >= MOST:
                raise Throttled(
                    _("Not exported. Other people are exporting now. Try again in a few minutes.")
                )
            self._taken[person_id] += 1
        metrics.EXPORTS.inc()

    def give_back(self, person_id: int) -> None:
        """Free the slot of an export of this person."""
        with self._lock:
            self._taken[person_id] -= 1
            if self._taken[person_id] <= 0:
                del self._taken[person_id]
        metrics.EXPORTS.dec()


places = ExportPlaces()


class ExportPlace:
    """A slot for one of the exports of this process.

    The slot is freed once, at the latest when this object is deleted. Creating the object raises
    Throttled if no slot is free.
    """

    def __init__(self, person_id: int) -> None:
        places.take(person_id)
        self.give_back = finalize(self, places.give_back, person_id)


logger = logging.getLogger(__name__)

Row = Iterable[object]
Item = TypeVar("Item")

# The places where a spreadsheet would read a formula: the start of the text, and, because a
# spreadsheet may split the text at another separator, the start of each part. Full-width signs
# count too.
_FORMULA = re.compile(r"^(?=[\t\r])|(^\s*|[;\t\r\n]\s*)(?=[=+\-@＝＋－＠])")
# Texts that can't be a formula: an empty text, most words, a number with its sign, and a phone
# number as people write it. This check is faster than the search for a formula.
_is_harmless = re.compile(
    r"(?:\w[^;\t\r\n]*"
    r"|[+-](?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?"
    r"|\+(?:[ \u00a0().-]*[0-9]){7,15})?"
).fullmatch
# Types of values that the CSV writer gets unchanged. Most cells of a list have one of these types.
_PLAIN = frozenset({type(None), int, Decimal})
_AT_ONCE = 500
# The permission to export, which is also the name of the action in the audit trail.
EXPORT = "dashboard.export"


def cell(value: object) -> object:
    """Return one cell for the CSV writer: a number as received, an object as its JSON.

    A missing value is an empty cell. A text that a spreadsheet could read as a formula gets a `'`
    in front.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, bool | dict | list):
        value = xlsx.write_json(value)
    words = str(value)
    return words if _is_harmless(words) else _FORMULA.sub(r"\1'", words)


class MomentText(Func):
    """A column of times, written by the database in the form of `timestamp_text`.

    If Python wrote the six times of each row, an export would take twice as long.
    """

    arity = 1
    output_field = TextField()
    template = """TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the SQL for SQLite.

        SQLite stores a time as UTC text, with microseconds only if they are not zero.
        """
        parts = (
            "SUBSTR(%(expressions)s, 1, 10) || 'T' || SUBSTR(%(expressions)s, 12, 8) || '.' "
            "|| SUBSTR(SUBSTR(%(expressions)s, 21, 3) || '000', 1, 3) || 'Z'"
        )
        return self.as_sql(compiler, connection, template=parts, **context)


class Column(NamedTuple):
    """A column: its name in the API and its word on the screen.

    A column without a word is only in the technical export. `write` makes the text for people from
    a value, the lender's zone, and the values of the columns in `needs`. With `in_currency`, the
    head of the column names the app's currency, because the values do not.
    """

    name: str
    label: Any = ""
    write: Callable[..., object] | None = None
    needs: tuple[str, ...] = ()
    in_currency: bool = False

    def write_head(self, currency: str) -> str:
        """Return the column's head for people, with the currency if the values do not name it."""
        return f"{self.label} ({currency})" if self.in_currency and currency else str(self.label)


def write_moment(value: object, zone: tzinfo) -> object:
    """Return a time from the API, or an aware datetime, as day and time in the zone.

    Other values are returned as received.
    """
    found = _read_moment(value)
    return found.astimezone(zone).replace(tzinfo=None, microsecond=0) if found else value


def write_day(value: object, zone: tzinfo) -> object:
    """Return the day of a contract's date. Other values are returned as received."""
    return contract_date(_read_moment(value), zone) or value


def _read_moment(value: object) -> datetime | None:
    return parse_moment(value) if isinstance(value, str) else moment(value)


def write_status(find: Callable[[object], Status | None]) -> Callable[[object, tzinfo], object]:
    """Return a function that writes a status as its word on the screen.

    The function returns the value as received if `find` returns None.
    """

    def write(value: object, _zone: tzinfo) -> object:
        found = find(value)
        return found.word if found else value

    return write


def write_performance(value: object, _zone: tzinfo, status: object, settled: object) -> object:
    """Return the word for the performance of a loan; "" if the loan is not open."""
    if not statuses.has_performance(status, settled):
        return ""
    found = statuses.performance_status(value)
    return found.word if found else value


def write_rate(value: object, _zone: tzinfo) -> object:
    """Return a fraction as a percentage. Other values are returned as received."""
    fraction = number(value)
    return value if fraction is None else to_percent(fraction)


def write_choice(choices: type[TextChoices]) -> Callable[[str, tzinfo], object]:
    """Return a function that writes a value of `choices` as its label; "" for no value."""
    return lambda value, _zone: choices(value).label if value else ""


def in_currency(word: Any) -> tuple[Any, ...]:
    """Return the description of a column of amounts in the app's currency, for `name_columns`."""
    return (word, None, (), True)


def name_columns(words: Mapping[str, Any]) -> tuple[Column, ...]:
    """Return the columns for a mapping of column names to words.

    Instead of a word, a tuple may have more fields of Column, in their order.
    """
    pairs = {name: word if isinstance(word, tuple) else (word,) for name, word in words.items()}
    return tuple(Column(name, *pair) for name, pair in pairs.items())


class ExportPage(NamedTuple):
    """Rows that are written together.

    `repeated` is the number of rows that were left out because an earlier page had them.
    """

    rows: Iterable[Row]
    repeated: int = 0


def split_into_pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in groups of some hundred; each group is written together."""
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield page


def export_response(
    request: PersonRequest,
    name: str,
    columns: Sequence[Column],
    pages: Iterable[ExportPage],
    *,
    subject: str,
    app_id: str = "",
) -> StreamingHttpResponse:
    """Return a CSV or XLSX file with the rows of all pages; `name` is without its ending.

    Each row has a value for every column, or one value that is not a record. The last row is a note
    if the service stopped early or sent rows again, or if a workbook can't contain all rows.

    The audit trail records the start of the export with its filters, and its end with the number of
    rows. `subject` names the exported data there. Raise Throttled if too many exports are running;
    the view declares the daily quota.
    """
    place = ExportPlace(request.user.pk)
    note = partial(audit.record, request.user, EXPORT, app_id=app_id, subject=subject)
    filters = ", ".join(sorted(name for name, value in request.GET.items() if value))
    note(outcome="started", detail=filters)
    app = lending_app(app_id) if app_id else None
    zone = app.zone if app else timezone.get_current_timezone()
    with override(settings.LANGUAGE_CODE):
        currency = app.currency if app else ""
        head = [column.write_head(currency) for column in columns if column.label]
    write_row = _write(columns, zone)
    if request.GET.get("technical"):
        head, write_row = [column.name for column in columns], list
    is_workbook = request.GET.get("format") == XLSX
    rows = _list_rows(head, pages, write_row, note, xlsx.MOST_ROWS if is_workbook else None)
    parts = xlsx.write_workbook(rows) if is_workbook else _write_csv(rows)
    kind, ending = (xlsx.CONTENT_TYPE, XLSX) if is_workbook else ("text/csv; charset=utf-8", "csv")
    response = StreamingHttpResponse(_Stream(parts, rows, place), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response


def _write(columns: Sequence[Column], zone: tzinfo) -> Callable[[Row], Sequence[object]]:
    places = {column.name: at for at, column in enumerate(columns)}
    shown = [
        (at, column.write, [places[name] for name in column.needs])
        for at, column in enumerate(columns)
        if column.label
    ]

    def write_row(row: Row) -> Sequence[object]:
        cells = list(row)
        if len(cells) != len(columns):
            return cells
        return [
            write(cells[at], zone, *[cells[other] for other in needs]) if write else cells[at]
            for at, write, needs in shown
        ]

    return write_row


class _Stream:
    """The parts of an export. The export frees its slot when it ends or when the reader leaves."""

    def __init__(
        self, parts: Generator[str | bytes], rows: Generator[Any], place: ExportPlace
    ) -> None:
        self._parts, self._rows, self._place = parts, rows, place

    def __iter__(self) -> Iterator[str | bytes]:
        return self

    def __next__(self) -> str | bytes:
        return next(self._parts)

    def close(self) -> None:
        """End the export and free its place.

        Django calls this after the last part, or when the reader has left.
        """
        self._parts.close()
        self._rows.close()
        self._place.give_back()


def _list_rows(
    head: Sequence[str],
    pages: Iterable[ExportPage],
    write_row: Callable[[Row], Sequence[object]],
    note: Callable[..., object],
    most: int | None,
) -> Generator[list[Sequence[object]]]:
    """Yield the headings, then the rows in pages.

    A note follows if more than `most` rows exist, if a LendingError stopped the export, or if the
    service repeated rows. `note` records the end in the audit trail.
    """
    count = repeated = 0
    # If the browser leaves, Django closes the stream, and this outcome is recorded.
    ended = "stopped"
    try:
        yield [head]
        for page in pages:
            rows = [write_row(row) for row in islice(page.rows, most and most + 1 - count)]
            if most and count + len(rows) > most:
                yield rows[: most - count]
                count = most
                yield [[_(CUT_OFF) % {"rows": f"{most:,}"}]]
                ended = "cut"
                return
            yield rows
            metrics.EXPORT_ROWS.inc(len(rows))
            count, repeated = count + len(rows), repeated + page.repeated
        if repeated:
            yield [[describe_repeated(repeated)]]
        ended = "done"
    except LendingError as error:
        yield [[_(BROKEN_OFF) % {"rows": count, "why": error.message}]]
        ended = "broken"
    finally:
        try:
            words = ngettext("%(count)s row", "%(count)s rows", count)
            note(outcome=ended, detail=words % {"count": count})
        except Error as error:
            logger.warning("the end of an export is not in the trail: %s", type(error).__name__)


def _write_csv(pages: Iterable[list[Sequence[object]]]) -> Generator[str | bytes]:
    mark = "\ufeff"
    for page in pages:
        # Calling `cell` for every value would double the time of a row.
        yield mark + _lines(
            [
                x if (type(x) is str and _is_harmless(x)) or type(x) in _PLAIN else cell(x)
                for x in row
            ]
            for row in page
        )
        mark = ""


def back_to_list(request: PersonRequest) -> HttpResponse:
    """Redirect to the list if the filter of its export can't be sent; the list shows the reason."""
    match: Any = request.resolver_match
    name = match.url_name.removesuffix("-export")
    return redirect(reverse(name, kwargs=match.kwargs, query=request.GET))


def describe_repeated(count: int) -> str:
    """Return the last line of an export, if the service sent some rows again."""
    return ngettext(
        "REPEATED: the service sent %(count)s row twice; this file has the row once",
        "REPEATED: the service sent %(count)s rows twice; this file has each row once",
        count,
    ) % {"count": count}


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
