"""Serial access for writers, in the order of their requests."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, transaction


@contextmanager
def write() -> Iterator[None]:
    """Run a write transaction while no other thread or process writes.

    Inside a transaction, use that transaction. In SQLite, waiting writers try again after longer
    and longer pauses, so some of many writers wait for a second while others overtake them.
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
