"""Places for spreadsheets. The processes of a host open at most two at the same time.

Each spreadsheet may take as much memory as `sheet_process` allows. A place is a locked file. The
lock ends when the process ends, in any way.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from django.utils.translation import gettext as _

from lendingadmin.desk.statements.lines import Refused

PLACES = 2
# Seconds. Each open spreadsheet ends within this time (tables.py).
LONGEST_WAIT = 35.0
_PAUSE = 0.1


@contextmanager
def take_place() -> Iterator[None]:
    """Hold one of the places for this block.

    Raise Refused if no place was free in time.
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
