"""Checks for `/readyz` and `manage.py worker_check`.

Errors prevent this host from serving pages. Warnings report problems elsewhere.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache

from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from redis.exceptions import RedisError

from lendingadmin.core.areas import collect
from lendingadmin.core.caching import shared
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.waiting import atomic_waiting

from . import canary

Check = Callable[[], str]
# Milliseconds for which the test write waits for other writers; the most seconds by which two
# clocks may differ.
_WRITE_WITHIN, _CLOCKS_DIFFER = 1_000, 60

_last_faults: list[str] = []


def find_faults() -> list[str]:
    """Return the reasons why this host can't serve pages; empty if it can.

    If the database does not answer, the list has only this reason.
    """
    try:
        # The table of the canary may be missing until all migrations are applied.
        faults = [_find_waiting_migrations() or canary.find_fault() or _find_write_fault()]
    except DatabaseError:
        return ["the database does not answer"]
    return [one for one in (*faults, _find_static_fault()) if one]


def note_faults(faults: list[str]) -> bool:
    """Save these faults for the next call; return True if they differ from the saved ones.

    The first call of a process compares with an empty list.
    """
    global _last_faults
    is_other, _last_faults = faults != _last_faults, faults
    return is_other


def find_warnings() -> list[str]:
    """Return the warnings of all areas about work that is late or has stopped.

    Raises DatabaseError.
    """
    return [words for words in (check() for check in collect("warnings")) if words]


def spell_ready() -> Iterator[str]:
    """Yield the lines of `/readyz` for a host without faults: `ready`, and a line for each warning.

    Raises DatabaseError.
    """
    yield "ready"
    for words in filter(None, [_find_cache_fault(), _find_clock_fault(), *find_warnings()]):
        yield f"warning: {words}"


@cache
def list_migrations() -> frozenset[tuple[str, str]]:
    """Return the migrations of this version.

    They are read from the disk only once, because this takes longer than all other checks.
    """
    return frozenset(MigrationLoader(None).graph.nodes)


def _find_waiting_migrations() -> str:
    waiting = list_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    return f"{len(waiting)} migrations are not applied" if waiting else ""


def _find_write_fault() -> str:
    """Write a test row; return the fault if the write fails, else an empty text.

    A test of reads is not enough: they also work on a full or read-only disk.
    """
    stamp = {"value": "", "expires_at": timezone.now() + timedelta(days=1)}
    try:
        with atomic_waiting(_WRITE_WITHIN):
            Kept.objects.update_or_create(key="readiness", defaults=stamp)
    except DatabaseError as error:
        # Another process is writing, so the database accepts writes.
        return "" if "lock" in str(error) else "the database takes no writes; its disk may be full"
    return ""


def _find_clock_fault() -> str:
    """Return a warning if the clocks of host and database differ too much, else an empty text."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        off = (timezone.now() - cursor.fetchone()[0]).total_seconds()
    if abs(off) <= _CLOCKS_DIFFER:
        return ""
    return f"the clock of this host is {off:+.0f} seconds off that of the database"


def _find_cache_fault() -> str:
    """Return the fault if the cache does not answer, else an empty text.

    Pages work without the cache, and all hosts share one cache. So this is only a warning.
    """
    # Only the Redis cache has its own server, which may be down while the database answers.
    ping = getattr(shared, "ping", None)
    try:
        if ping:
            ping()
    except RedisError:
        return "the cache does not answer; nothing is shared"
    return ""


def _find_static_fault() -> str:
    is_empty = getattr(staticfiles_storage, "hashed_files", None) == {}
    return "the static files are not collected" if is_empty else ""
