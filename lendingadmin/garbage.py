"""Garbage collection of a web process on SQLite, in a thread for which no request waits.

A cursor that is garbage is closed by the thread that collects it, as soon as the thread of its
connection allows that. If that thread waits to write and the collecting thread is the writer,
both are blocked until one of them gives up. All other threads wait with them, for up to a
minute.
"""

import gc
import time
from threading import Thread

_PAUSE = 1.0  # seconds
_WHOLE_EVERY = 5  # pauses


def collect_apart() -> None:
    """Move garbage collection to a separate thread, which never writes to the database."""
    gc.disable()
    Thread(target=_collect, name="garbage", daemon=True).start()


def _collect() -> None:
    """Collect young objects after each pause, and all objects after every fifth pause."""
    turn = 0
    while True:
        time.sleep(_PAUSE)
        turn += 1
        gc.collect(1 if turn % _WHOLE_EVERY else 2)
