"""Opens a spreadsheet in a process of its own: bytes on its input, rows as JSON on its output.

Of one with a password or with macro sheets it writes `LOCKED` or `MACROS` instead.

A damaged file can make the library ask for gigabytes, and end the process that asks. So this one
has a bound of its own, imports nothing of the dashboard and holds nothing but the file.
"""

import io
import json
import resource
import sys
from datetime import date, datetime, time
from typing import Any

from python_calamine import CalamineWorkbook, PasswordError

MEMORY = 1 << 30  # bytes
LOCKED, MACROS = "locked", "macros"
_MOST_SHEETS, _MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 20, 20_200, 200, 10_000


def main() -> None:
    """Write what the file holds."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        found = read_sheets(sys.stdin.buffer.read())
    except PasswordError:
        found = LOCKED
    sys.stdout.write(json.dumps(found))


def read_sheets(content: bytes) -> Any:
    """Each sheet as a list of rows of texts; rows and columns past the bounds are cut."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    if any("Macro" in str(sheet.typ) for sheet in book.sheets_metadata):
        return MACROS
    return [
        [
            [write_cell(cell) for cell in row[:_MOST_COLUMNS]]
            for row in book.get_sheet_by_name(name).to_python(skip_empty_area=False)[:_MOST_ROWS]
        ]
        for name in book.sheet_names[:_MOST_SHEETS]
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
