"""Lock that lets only one process write at a time, in the order of the requests."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def write() -> Iterator[None]:
    """Run a write transaction while no other thread or process writes.

    Inside a transaction, use this transaction. Writers wait for a lock file, because a writer that
    waits for SQLite's own lock pauses longer each time, and other writers overtake it.
    """
    if connection.in_atomic_block:
        yield
        return
    file = os.open(f"{settings.SANDBOX_DATABASE}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        with transaction.atomic():
            yield
    finally:
        os.close(file)
