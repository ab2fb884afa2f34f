"""CSV of everything that a filter finds: streamed, harmless in a spreadsheet, honest at its end."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import TypeVar

import simplejson
from django.http import StreamingHttpResponse

from lendingadmin.lending.errors import LendingError

from . import progress
from .progress import State, Tell
from .requests import PersonRequest

Item = TypeVar("Item")
Row = Iterable[object]

# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = frozenset("=+-@\t\r")
# What the CSV writer writes as it came: most cells of a list.
_PLAIN = frozenset({type(None), int, Decimal})
_AT_ONCE = 500


def cell(value: object) -> object:
    """One cell for the CSV writer: a number as it came, nothing as empty, an object as its JSON.

    Text that a spreadsheet could take for a formula gets a `'` in front.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, bool | dict | list):
        value = simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
    text = str(value)
    return f"'{text}" if text[:1] in _FORMULA else text


def in_pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items some hundred at a time: each page is written at once."""
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield page


def csv_response(
    request: PersonRequest, filename: str, columns: Sequence[str], pages: Iterable[Iterable[Row]]
) -> StreamingHttpResponse:
    """Stream pages of rows; when the service breaks off, the last row says so.

    The page that the export was started from is told how far it is.
    """
    text = _text(columns, pages, progress.teller(request))
    response = StreamingHttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _text(columns: Sequence[str], pages: Iterable[Iterable[Row]], tell: Tell) -> Iterator[str]:
    count = 0
    state: State = "stopped"
    try:
        yield "\ufeff" + _lines([columns])
        for page in pages:
            rows = [[x if type(x) in _PLAIN else cell(x) for x in row] for row in page]
            yield _lines(rows)
            count += len(rows)
            tell(count, "running")
        state = "done"
    except LendingError as error:
        state = "broken off"
        words = f"BROKEN OFF after {count} rows, so this is not everything: {error.message}"
        yield _lines([[words]])
    finally:
        # A browser that left ends the stream from outside.
        tell(count, state)


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
