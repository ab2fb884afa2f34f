"""CSV of everything that a filter finds: streamed, harmless in a spreadsheet, honest at its end."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

import simplejson
from django.http import StreamingHttpResponse

from lendingadmin.lending.errors import LendingError

from . import progress
from .progress import Sent, Tell
from .requests import PersonRequest

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


class CsvPage(NamedTuple):
    """Rows that are written at once, and how many were left out because they came before."""

    rows: Iterable[Row]
    repeated: int = 0


def in_pages(items: Iterable[Row]) -> Iterator[CsvPage]:
    """The items some hundred at a time: each page is written at once."""
    rest = iter(items)
    while page := list(islice(rest, _AT_ONCE)):
        yield CsvPage(page)


def csv_response(
    request: PersonRequest, filename: str, columns: Sequence[str], pages: Iterable[CsvPage]
) -> StreamingHttpResponse:
    """Stream pages of rows; the last row says when the service broke off, or listed rows again.

    The page that the export was started from is told how far it is.
    """
    text = _text(columns, pages, progress.teller(request))
    response = StreamingHttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _text(columns: Sequence[str], pages: Iterable[CsvPage], tell: Tell) -> Iterator[str]:
    sent = Sent()
    try:
        yield "\ufeff" + _lines([columns])
        for page in pages:
            rows = [[x if type(x) in _PLAIN else cell(x) for x in row] for row in page.rows]
            yield _lines(rows)
            sent = Sent(sent.rows + len(rows), "running", sent.repeated + page.repeated)
            tell(sent)
        if sent.repeated:
            yield _lines([[_repeated(sent.repeated)]])
        sent = sent._replace(state="done")
    except LendingError as error:
        words = f"BROKEN OFF after {sent.rows} rows, so this is not everything: {error.message}"
        yield _lines([[words]])
        sent = sent._replace(state="broken off", why=error.message)
    finally:
        # A browser that left ends the stream from outside.
        tell(sent._replace(state="stopped") if sent.state == "running" else sent)


def _repeated(count: int) -> str:
    rows = "1 row again, and it is" if count == 1 else f"{count} rows again, and they are"
    return f"REPEATED: the service listed {rows} written once"


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
