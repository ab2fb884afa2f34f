"""Serial access for writers, in the order in which they come."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def write() -> Iterator[None]:
    """Run a write transaction while no other thread or process writes.

    Inside a transaction, use that transaction. SQLite makes waiting writers ask again and
    again, in ever longer pauses. With many at the same time, some wait for a second while
    others pass them.
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
