"""Read the bytes of a table, CSV or spreadsheet, into rows of cells as text."""

import csv
import fcntl
import io
import json
import os
import re
import resource
import subprocess  # nosec B404
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGABRT
from tempfile import gettempdir
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.desk.statements.lines import Refused

from . import containers
from .containers import CSV, JSON, MT940
from .figures import read_amount
from .sheet_process import LOCKED, MACROS, MANY_SHEETS, MEMORY, TOO_LARGE

MOST_ROWS = 20_000
# The most rows of a head above the headings of a table.
_MOST_HEAD = 60
_SHEET_PROCESS, _LONGEST_SECONDS = Path(__file__).with_name("sheet_process.py"), 30
# The processes of a host open at most PLACES spreadsheets at once, because each may take as much
# memory as `sheet_process` allows. An upload waits at most LONGEST_WAIT seconds for a place.
PLACES, LONGEST_WAIT, _PAUSE = 2, 35.0, 0.1
_LOOK_EVERY = 0.02  # seconds between two checks of the memory that a spreadsheet takes
# The most lines of a file, or JSON objects, for each allowed row. Cells may have line breaks,
# tables have heads, and entries have several lines.
_FOR_EACH = 10
_MARKS = {
    CSV: ((b"\n", _FOR_EACH), (b"\r", _FOR_EACH)),
    MT940: ((b":61:", 1), (b":20:", 1), (b"\n", 2 * _FOR_EACH), (b"\r", 2 * _FOR_EACH)),
    JSON: ((b"{", _FOR_EACH), (b"[", _FOR_EACH), (b",", 10 * _FOR_EACH)),
}
# The sentence and the code for each fault of the sheet process.
_FAULTS = {
    LOCKED: containers.PASSWORD,
    MACROS: containers.MACROS,
    TOO_LARGE: gettext_noop(
        "This spreadsheet is too large to open. A cell far outside the table may have a value, "
        "such as cell XFD1048576. Delete all rows below the table and all columns to its "
        "right, and save the file. Or export CSV."
    ),
    MANY_SHEETS: gettext_noop(
        "This workbook has too many sheets. Save the statement as a separate file."
    ),
}
_CODES = {LOCKED: "password", MACROS: "macros", TOO_LARGE: "cells", MANY_SHEETS: "sheets"}
_DELIMITERS = ",;\t|"
_ANY_DELIMITER = re.compile(f"[{_DELIMITERS}]")
_LONGEST_CELL = 10_000
# A row with fewer cells is not part of a table.
_TABLE_CELLS = 3
# UTF-8 text that was read as Windows-1252 and written as UTF-8 again.
_TWICE = re.compile(r"[ÃÂ][\u0080-\u00bf\u0152-\u2122]")

Row = list[str]
Score = Callable[[Sequence[str]], int]


def check_counts(content: bytes, kind: str) -> None:
    """Raise Refused if a text has far more lines or entries than the allowed number of rows.

    The lines and entries are counted before the text is parsed, because 20 MB may be six million
    rows of one letter.
    """
    for mark, most in _MARKS.get(kind, ()):
        if content.count(mark) > most * (MOST_ROWS + 1):
            raise _refuse_length()


def read_csv(content: bytes, score: Score) -> list[Row]:
    """Return the rows of a CSV file.

    Choose the delimiter with which one row has the most known headings (`score`). The sniffer of
    `csv` fails on these files, because masked phone numbers are full of `*`. Raise Refused if the
    file can't be read.
    """
    text = decode(content)
    known = {sign: _find_most(_parse(text[:200_000], sign)[0], score) for sign in _DELIMITERS}
    best = max(_DELIMITERS, key=known.__getitem__)
    if known[best] <= 1:
        best = max(_DELIMITERS, key=lambda sign: _rate_delimiter(text[:20_000], sign))
    rows, broken = _parse(text, best)
    if best in text and all(len(row) < 2 for row in rows):
        # A program saved each line as one cell in quotation marks.
        return read_csv("\n".join(cell for row in rows for cell in row).encode(), score)
    check_one_row_each(rows, best, broken)
    return _check_length(rows)


def _rate_delimiter(text: str, delimiter: str) -> tuple[int, int]:
    """Return the number of rows that have the most common width, and the number of delimiters.

    Rows with a single cell do not count.
    """
    widths = Counter(len(row) for row in _parse(text, delimiter)[0] if len(row) > 1)
    return max(widths.values(), default=0), text.count(delimiter)


def check_one_row_each(rows: Sequence[Row], delimiters: str, broken: Sequence[int] = ()) -> None:
    """Raise Refused if a cell holds several rows, because a quotation mark is not closed.

    Such a cell has as many delimiters in each of its lines as a complete row. `broken` has the
    numbers of rows that are known to be broken.
    """
    cells = Counter[int]()
    for row in rows:
        cells[len(row)] += len(row)
    width = max(cells, key=cells.__getitem__, default=0)
    found = (
        number
        for number, row in enumerate(rows, start=1)
        if number in broken or _holds_rows(row, delimiters, width)
    )
    if number := next(found, 0):
        words = _(
            "Row %(number)s has a quotation mark that is not closed, so the next rows can't be "
            "read. Remove the mark, or export as XLSX."
        )
        raise Refused(words % {"number": number})


def _holds_rows(row: Row, delimiters: str, width: int) -> bool:
    lined = [cell for cell in row if "\n" in cell or "\r" in cell]
    if lined and len(row) > width:
        return True
    # If the cell was cut, its last row is not complete.
    ends = (len(cell.splitlines()) - (2 if len(cell) == _LONGEST_CELL else 1) for cell in lined)
    least = [max(1, width - 1) * count for count in ends]
    return any(
        cell.count(sign) >= count
        for cell, count in zip(lined, least, strict=True)
        for sign in delimiters
    )


def read_spreadsheet(content: bytes, score: Score) -> tuple[list[Row], list[str]]:
    """Return the rows of the best sheet, and the names of the unread sheets. Raise Refused.

    The best sheet has the most known headings.
    """
    try:
        with take_place():
            found: Any = json.loads(_run_sheet_process(content))
    except (subprocess.SubprocessError, ValueError) as error:
        if isinstance(error, subprocess.CalledProcessError) and error.returncode == -SIGABRT:
            raise Refused(_(_FAULTS[TOO_LARGE]), code="cells") from error
        words = _(
            "This spreadsheet can't be opened. Export the statement as CSV and choose the CSV file."
        )
        raise Refused(words, code="unopened") from error
    if isinstance(found, str):
        raise Refused(_(_FAULTS[found]), code=_CODES[found])
    return _choose_sheet(found, score)


def _choose_sheet(sheets: Sequence[list[Row]], score: Score) -> tuple[list[Row], list[str]]:
    """Return the rows of the best sheet, and the names of the others that have amounts.

    Raise Refused if another sheet has a row of the best sheet too, such as the headings.
    """
    filled = [number for number, rows in enumerate(sheets, start=1) if any(map(any, rows))]
    # Known headings count first, then the number of rows, because a cover sheet has few rows.
    known = {n: (_find_most(sheets[n - 1], score), len(_list_full(sheets[n - 1]))) for n in filled}
    best = max(filled, key=known.__getitem__, default=1)
    others = [n for n in filled if n != best and any(map(_has_amount, sheets[n - 1]))]
    rows = _check_length(sheets[best - 1] if sheets else [])
    check_one_row_each(rows, _DELIMITERS)
    for number in others:
        if any(row in rows for row in _list_full(sheets[number - 1])[:_MOST_HEAD]):
            words = _(
                "Sheets %(one)s and %(other)s of this workbook both have a statement. Save "
                "each sheet as a separate file."
            )
            raise Refused(words % {"one": min(best, number), "other": max(best, number)})
    # In a workbook it is certain where a cell ends, so a line break in a cell is harmless.
    rows = [[" ".join(cell.split()) if "\n" in cell else cell for cell in row] for row in rows]
    return rows, [_("sheet %(number)s") % {"number": number} for number in others]


def _has_amount(row: Row) -> bool:
    """Return True if a row may be a payment: it has several parts, and one is an amount."""
    parts = [part.strip() for cell in row for part in _ANY_DELIMITER.split(cell)]
    return sum(map(bool, parts)) > 1 and any(read_amount(part) is not None for part in parts)


def _list_full(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with enough cells for a table."""
    return [row for row in rows if sum(map(bool, row)) >= _TABLE_CELLS]


@contextmanager
def take_place() -> Iterator[None]:
    """Lock one of the PLACES during this block; raise Refused if no place was free in time.

    A place is a locked file. The lock ends when the process ends, in any way.
    """
    until = time.monotonic() + LONGEST_WAIT
    while (held := _lock_any()) is None:
        if time.monotonic() > until:
            raise Refused(_("Other spreadsheets are being opened. Try again in a minute."))
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(held)


def _lock_any() -> int | None:
    """Lock a free place and return its open file; None if no place is free."""
    for number in range(PLACES):
        path = Path(gettempdir()) / f"lendingadmin-sheet-{os.getuid()}-{number}.lock"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
        else:
            return file
    return None


def _run_sheet_process(content: bytes) -> bytes:
    """Return the output of the sheet process, or TOO_LARGE as JSON. Raise SubprocessError."""
    command, pipe = [sys.executable, "-I", str(_SHEET_PROCESS)], subprocess.PIPE
    until, given = time.monotonic() + _LONGEST_SECONDS, content or None
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, _errors = process.communicate(given, timeout=_LOOK_EVERY)
                    break
                given = None  # the process already has its input
                # Old spreadsheets reserve far more than they use, so the memory in use is checked.
                if _read_memory(process.pid) > MEMORY:
                    return json.dumps(TOO_LARGE).encode()
                if time.monotonic() > until:
                    raise subprocess.TimeoutExpired(command, _LONGEST_SECONDS)
        finally:
            process.kill()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return output


def _read_memory(process_id: int) -> int:
    """Return the memory that a process uses at present, in bytes; 0 if the process has ended."""
    try:
        pages = Path(f"/proc/{process_id}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def _find_most(rows: Sequence[Row], score: Score) -> int:
    """Return the highest number of known headings in one row."""
    return max(map(score, rows[:_MOST_HEAD]), default=0)


def decode(content: bytes) -> str:
    """Return the text of a file in UTF-8, UTF-16 or Windows-1252. Raise Refused for binaries."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252", errors="replace")
    if "\0" in text:
        raise Refused(_("This file has no text. Export the statement as CSV, XLSX or XLS."))
    if _TWICE.search(text[:20_000]):
        with suppress(UnicodeError):
            return text.encode("cp1252").decode("utf-8")
    return text


def _parse(text: str, delimiter: str) -> tuple[list[Row], list[int]]:
    """Return the rows of a text, and the numbers of the broken rows.

    A broken row has several lines, and its quotation marks do not match. Cells that are too long
    are cut. Raise Refused if csv can't read the text.
    """
    rows, broken, begins = list[Row](), list[int](), 0
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            rows.append([cell.strip()[:_LONGEST_CELL] for cell in row])
            read = lines[begins : reader.line_num]
            if len(read) > 1 and not _is_quoted_well(read, delimiter):
                broken.append(len(rows))
            begins = reader.line_num
            if len(rows) > MOST_ROWS + _MOST_HEAD:
                break
    except csv.Error as error:
        raise Refused(
            _("Row %(number)s of this file can't be read as CSV.") % {"number": len(rows) + 1}
        ) from error
    return rows, broken


def _is_quoted_well(lines: Sequence[str], delimiter: str) -> bool:
    try:
        return any(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return False


def _check_length(rows: list[Row]) -> list[Row]:
    while rows and not any(rows[-1]):
        rows.pop()
    if len(rows) > MOST_ROWS + _MOST_HEAD:
        raise _refuse_length()
    return rows


def _refuse_length() -> Refused:
    words = _(
        "The file has more than %(count)s rows. Export the statement in smaller "
        "parts, such as week by week."
    )
    return Refused(words % {"count": f"{MOST_ROWS:,}"})
