"""Garbage of a web process on SQLite, collected where nobody waits for it.

A cursor that is garbage is closed by who collects it, once the thread of its connection lets it be.
Where that thread waits to write, and who collects is the writer, both stand still until one of them
gives up: all others wait with them, for up to a minute.
"""

import gc
import time
from threading import Thread

_PAUSE = 1.0  # seconds
_WHOLE_EVERY = 5  # pauses


def collect_apart() -> None:
    """From now on a thread of its own collects, which writes nothing."""
    gc.disable()
    Thread(target=_collect, name="garbage", daemon=True).start()


def _collect() -> None:
    """Collect what is young each time, and all now and then."""
    turn = 0
    while True:
        time.sleep(_PAUSE)
        turn += 1
        gc.collect(1 if turn % _WHOLE_EVERY else 2)
