"""Write rows as an XLSX workbook with real numbers and dates. Everything else is text."""

from collections.abc import Generator, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from itertools import chain
from tempfile import TemporaryFile
from typing import Any

import simplejson
import xlsxwriter

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#: A workbook is sent once it is complete, so it must be ready before a proxy gives up.
MOST_ROWS = 20_000
# Limits of the format. A longer text is cut. A number with more digits is written as text, because
# a spreadsheet would drop the last digits.
_LONGEST_TEXT, _MOST_DIGITS = 32_767, 15
_FIRST_YEAR = 1900
_PIECE = 65_536
_WIDTH = 20


def write_workbook(pages: Iterable[Sequence[Sequence[object]]]) -> Generator[str | bytes]:
    """Yield the bytes of a workbook with one sheet of rows; the first row has the headings.

    All rows are read before the first byte is sent, and are stored in a temporary file.
    """
    with TemporaryFile() as file:
        with xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
            _write_sheet(book, chain.from_iterable(pages))
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def write_json(value: object) -> str:
    """Return an object, a list or a boolean as JSON."""
    return simplejson.dumps(value, use_decimal=True, ensure_ascii=False)


def _write_sheet(book: Any, rows: Iterable[Sequence[object]]) -> None:
    sheet, bold = book.add_worksheet(), book.add_format({"bold": True})
    find_format = cache(lambda pattern: book.add_format({"num_format": pattern}))
    sheet.freeze_panes(1, 0)
    for number, row in enumerate(rows):
        if number == 0:
            sheet.set_column(0, len(row), _WIDTH)
            sheet.set_row(0, None, bold)
        for column, value in enumerate(row):
            if value is not None and value != "":
                _write_cell(sheet, number, column, value, find_format)


def _write_cell(sheet: Any, row: int, column: int, value: object, find_format: Any) -> None:
    if isinstance(value, datetime) and value.year >= _FIRST_YEAR:
        sheet.write_datetime(row, column, value, find_format("yyyy-mm-dd hh:mm:ss"))
    elif isinstance(value, date) and value.year >= _FIRST_YEAR:
        sheet.write_datetime(row, column, value, find_format("yyyy-mm-dd"))
    elif (decimals := _count_decimals(value)) is not None:
        pattern = "0." + "0" * decimals if decimals else "0"
        sheet.write_number(row, column, value, find_format(pattern))
    else:
        if isinstance(value, bool | dict | list):
            value = write_json(value)
        # A text is never a formula, whatever it begins with.
        text = str(value).encode(errors="replace").decode()
        sheet.write_string(row, column, text[:_LONGEST_TEXT])


def _count_decimals(value: object) -> int | None:
    """Return the number of decimals of a number.

    Return None for other values, and for a number from which a spreadsheet would remove digits.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    _sign, digits, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int):
        return None
    size = max(len(digits) + max(exponent, 0), -exponent)
    return max(-exponent, 0) if size <= _MOST_DIGITS else None
