"""Opens a spreadsheet in a process of its own: bytes on its input, rows as JSON on its output.

Of one with a password, with macro sheets or that is too large it writes `LOCKED`, `MACROS` or
`TOO_LARGE` instead.

The library keeps a place for each cell between the first and the last that hold something. So a
damaged file, or a word in the last cell of a sheet, makes it ask for gigabytes, and it aborts the
process that asks. So this one has a bound of its own, imports nothing of the dashboard and holds
nothing but the file.
"""

import io
import json
import resource
import sys
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError

MEMORY = 1 << 30  # bytes
LOCKED, MACROS, TOO_LARGE = "locked", "macros", "too-large"
_MOST_SHEETS, _MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 20, 20_200, 200, 10_000


def main() -> None:
    """Write what the file holds."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        found = read_sheets(sys.stdin.buffer.read())
    except PasswordError:
        found = LOCKED
    except MemoryError:
        found = TOO_LARGE
    sys.stdout.write(json.dumps(found))


def read_sheets(content: bytes) -> Any:
    """Each sheet as a list of rows of texts; rows and columns past the bounds are cut."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    if any("Macro" in str(sheet.typ) for sheet in book.sheets_metadata):
        return MACROS
    return [read_rows(book.get_sheet_by_name(name)) for name in book.sheet_names[:_MOST_SHEETS]]


def read_rows(sheet: CalamineSheet) -> list[list[str]]:
    """The rows of a sheet, one at a time: all of a wide and long one fill the memory."""
    # The library leaves out the columns before the first that holds something, but not the rows.
    left = [""] * (sheet.start[1] if sheet.start else 0)
    return [
        [write_cell(cell) for cell in (left + row)[:_MOST_COLUMNS]]
        for row in islice(sheet.iter_rows(), _MOST_ROWS)
    ]


def write_cell(cell: Any) -> str:
    """A cell as text: a whole number without its `.0`, moments as ISO."""
    if isinstance(cell, float):
        # A spreadsheet's number has fifteen figures; what follows is no figure of anybody's.
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}".upper()
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell).strip()[:_LONGEST_CELL]


if __name__ == "__main__":
    main()
