"""CSV of everything that a filter finds: streamed, harmless in a spreadsheet, honest at its end."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from django.http import StreamingHttpResponse

from lendingadmin.lending.errors import LendingError

# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def cell(value: object) -> str:
    """One cell: numbers in digits, nothing as empty, text that can't be taken for a formula."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"{value:f}"
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_response(
    filename: str,
    columns: Sequence[str],
    items: Iterable[Any],
    row: Callable[[Any], Iterable[object]],
) -> StreamingHttpResponse:
    """Stream one row an item; when the service breaks off, the last row says so."""
    response = StreamingHttpResponse(
        _lines(columns, items, row), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _lines(
    columns: Sequence[str], items: Iterable[Any], row: Callable[[Any], Iterable[object]]
) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(columns)
    count = 0
    try:
        for item in items:
            yield writer.writerow([cell(value) for value in row(item)])
            count += 1
    except LendingError as error:
        yield writer.writerow(
            [f"BROKEN OFF after {count} rows, so this is not everything: {error.message}"]
        )
