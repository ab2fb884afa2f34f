"""Program that opens a spreadsheet in a separate process.

The input has the bytes of the file, and the output has the rows as JSON.

The output is `LOCKED` for a spreadsheet with a password, `MACROS` for one with macro sheets,
`TOO_LARGE` for one that needs too much memory, and `MANY_SHEETS` for one with too many sheets.

The library reserves memory for each cell between the first and the last cell with content. A
damaged file, or a word in the last cell of a sheet, makes the library ask for gigabytes and abort
its process. Therefore the cells of an XLSX are counted before the file is opened, and this process
has its own memory limit. This process imports nothing from the dashboard and has no data except the
file.
"""

import io
import json
import re
import resource
import sys
import zipfile
from datetime import date, datetime, time
from functools import reduce
from itertools import islice
from typing import Any

from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError

# Bytes. An old spreadsheet reserves more memory than it uses, so tables.py checks the memory in
# use.
MEMORY, _MOST_RESERVED = 300_000_000, 1 << 30
LOCKED, MACROS, TOO_LARGE, MANY_SHEETS = "locked", "macros", "too-large", "many-sheets"
# The most cells for which the library may reserve memory. At 32 bytes for each cell they take two
# thirds of the limit.
_MOST_PLACES = 6_000_000
# A cell with content, in a chunk of a sheet. A cell that is only formatted needs no memory.
_CELL = re.compile(
    rb'<(?:\w+:)?c r="([A-Z]{1,3})(\d{1,7})"[^>]*(?<!/)>'
    rb"<(?:\w+:)?(?:v|is|f)\b[^>]*(?<!/)>(?!</)(?!<(?:\w+:)?t\b[^>]*(?:/>|></))"
)
_CHUNK, _LONGEST_CELL_TAG = 1 << 20, 1_000
_MOST_SHEETS, _MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 20, 20_200, 200, 10_000


def main() -> None:
    """Read a spreadsheet from standard input, and write its rows or its fault to standard output.

    The memory of this process is limited.
    """
    content = sys.stdin.buffer.read()
    limit = MEMORY if content.startswith(b"PK") else _MOST_RESERVED
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        found = TOO_LARGE if is_too_wide(content) else read_sheets(content)
    except PasswordError:
        found = LOCKED
    except MemoryError:
        found = TOO_LARGE
    sys.stdout.write(json.dumps(found))


def is_too_wide(content: bytes) -> bool:
    """Return True if an XLSX has more cells than the memory allows.

    The file is not opened for this.
    """
    if not content.startswith(b"PK"):
        return False
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [one for one in packed.namelist() if one.startswith("xl/worksheets/")]
        return any(count_places(packed, name) > _MOST_PLACES for name in names)


def count_places(packed: zipfile.ZipFile, name: str) -> int:
    """Return the number of cells in the rectangle around all filled cells of a sheet.

    The size that a sheet declares is not used. It includes cells that are only formatted, and it
    may be wrong.
    """
    left = top = 1 << 30
    right, bottom, kept = -1, -1, b""
    with packed.open(name) as part:
        while chunk := part.read(_CHUNK):
            chunk = kept + chunk
            for letters, number in _CELL.findall(chunk):
                column = reduce(lambda found, one: 26 * found + one - 64, letters, 0)  # A is 1
                row = int(number)
                left, right = min(left, column), max(right, column)
                top, bottom = min(top, row), max(bottom, row)
            kept = chunk[-_LONGEST_CELL_TAG:]
    return (right - left + 1) * (bottom - top + 1) if right > 0 else 0


def read_sheets(content: bytes) -> Any:
    """Return each sheet as a list of rows of texts.

    Rows and columns beyond the limits are cut off. If the sheets must not be read, return MACROS or
    MANY_SHEETS.
    """
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    if any("Macro" in str(sheet.typ) for sheet in book.sheets_metadata):
        return MACROS
    if len(book.sheet_names) > _MOST_SHEETS:
        return MANY_SHEETS
    return [read_rows(book.get_sheet_by_name(name)) for name in book.sheet_names]


def read_rows(sheet: CalamineSheet) -> list[list[str]]:
    """Return the rows of a sheet.

    They are read one by one, because a large sheet fills the memory.
    """
    # The library leaves out the empty columns on the left, but not the empty rows at the top.
    left = [""] * (sheet.start[1] if sheet.start else 0)
    return [
        [write_cell(cell) for cell in (left + row)[:_MOST_COLUMNS]]
        for row in islice(sheet.iter_rows(), _MOST_ROWS)
    ]


def write_cell(cell: Any) -> str:
    """Return a cell as text: an integer without `.0`, a date or time as ISO 8601."""
    if isinstance(cell, float):
        # A spreadsheet stores fifteen digits of a number. Further digits have no meaning.
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}".upper()
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell).strip()[:_LONGEST_CELL]


if __name__ == "__main__":
    main()
