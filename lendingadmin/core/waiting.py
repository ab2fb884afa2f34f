"""Limits for the time that a database write waits for another write."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction


@contextmanager
def atomic_waiting(milliseconds: int) -> Iterator[None]:
    """Open a transaction; raise OperationalError if another writer blocks it for longer."""
    if connection.vendor == "sqlite":
        with sqlite_waiting(milliseconds), transaction.atomic():
            yield
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{milliseconds}ms'")
            yield


@contextmanager
def sqlite_waiting(milliseconds: int) -> Iterator[None]:
    """Set how long SQLite waits for another writer within this block."""
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        # Each PRAGMA returns a row. If the row is not fetched, the statement stays open
        # (garbage.py).
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}").fetchone()
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}").fetchone()


def atomic_without_waiting() -> AbstractContextManager[None]:
    """Open a transaction; raise OperationalError immediately if another writer blocks it."""
    # On PostgreSQL a limit of 0 means no limit.
    return atomic_waiting(1 if connection.vendor == "postgresql" else 0)
