"""A cursor of SQLite that is garbage, while its thread waits for who would collect it."""

from pathlib import Path

import pytest

from tests.test_checks import product

# A writer makes garbage until it would be collected, beside a thread that waits to write and has
# left a cursor in a cycle.
_SCRIPT = """
import sqlite3, threading, time
import lendingadmin.wsgi
from django.db import connection
path = connection.settings_dict["NAME"]
writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
writer.execute("PRAGMA journal_mode=WAL")
writer.execute("BEGIN IMMEDIATE")
def wait():
    other = sqlite3.connect(path, isolation_level=None, timeout=8)
    # It gives a row, which nobody has asked for, and has read no table.
    cycle = [other.execute("PRAGMA busy_timeout = 8000")]
    cycle.append(cycle)
    del cycle
    waits.set()
    try:
        other.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        pass
waits = threading.Event()
waiter = threading.Thread(target=wait)
waiter.start()
waits.wait()
time.sleep(0.5)
began = time.monotonic()
until = began + 3
kept = []
while time.monotonic() < until:
    kept.append([[] for _ in range(1000)])
longest = time.monotonic() - began
writer.execute("COMMIT")
waiter.join()
print("short" if longest < 6 else longest)
"""


@pytest.mark.drill
def test_a_writer_does_not_stand_still_for_it(tmp_path: Path) -> None:
    told = product("-c", _SCRIPT, DATABASE_URL=f"sqlite:///{tmp_path}/own.sqlite3")
    assert told.stdout == "short\n", told.stdout + told.stderr
