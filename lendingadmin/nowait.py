"""Writes that a page makes beside what it shows: kept where the database takes them soon."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction


@contextmanager
def atomic_waiting(milliseconds: int) -> Iterator[None]:
    """A transaction that raises OperationalError where it would wait longer for another writer."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            (timeout,) = cursor.execute("PRAGMA busy_timeout").fetchone()
            cursor.execute(f"PRAGMA busy_timeout = {min(timeout, milliseconds)}")
            try:
                with transaction.atomic():
                    yield
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {timeout}")
        else:
            with transaction.atomic():
                cursor.execute(f"SET LOCAL lock_timeout = '{milliseconds}ms'")
                yield


def atomic_without_waiting() -> AbstractContextManager[None]:
    """A transaction that raises OperationalError at once where it would wait for another writer."""
    # PostgreSQL takes none as waiting for ever.
    return atomic_waiting(1 if connection.vendor == "postgresql" else 0)
