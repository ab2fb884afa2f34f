"""Writes that a page makes beside what it shows: kept where the database takes them at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def atomic_without_waiting() -> Iterator[None]:
    """A transaction that raises OperationalError at once where it would wait for another writer."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            (timeout,) = cursor.execute("PRAGMA busy_timeout").fetchone()
            cursor.execute("PRAGMA busy_timeout = 0")
            try:
                with transaction.atomic():
                    yield
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {timeout}")
        else:
            with transaction.atomic():
                cursor.execute("SET LOCAL lock_timeout = '1ms'")
                yield
