"""What `/readyz` and `manage.py worker_check` say: what keeps this host from serving, and what is
amiss elsewhere.
"""

from collections.abc import Callable, Iterator
from functools import cache

from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from redis.exceptions import RedisError

from lendingadmin.caching import shared

from . import canary

Check = Callable[[], str]

_WARNINGS: list[Check] = []


def register_warning(check: Check) -> None:
    """Let monitors be told what `check` says, empty for nothing. It reads by an index, and only
    our own database.
    """
    _WARNINGS.append(check)


def find_faults() -> list[str]:
    """Why this host can't serve people. Without the database nothing else is asked."""
    try:
        # The canary's own table may be among what is still to be migrated.
        faults = [_find_waiting_migrations() or canary.find_fault()]
    except DatabaseError:
        return ["the database does not answer"]
    return [one for one in (*faults, _find_static_fault()) if one]


def find_warnings() -> list[str]:
    """What else somebody should know: pages are served, and work waits. Raises DatabaseError."""
    return [words for words in (check() for check in _WARNINGS) if words]


def spell_ready() -> Iterator[str]:
    """The lines of a host that serves: `ready`, and a line for each warning."""
    yield "ready"
    for words in filter(None, [_find_cache_fault(), *find_warnings()]):
        yield f"warning: {words}"


@cache
def _list_migrations() -> frozenset[tuple[str, str]]:
    """Those of this version; they are read from disk once, which takes longer than all else."""
    return frozenset(MigrationLoader(None).graph.nodes)


def _find_waiting_migrations() -> str:
    waiting = _list_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    return f"{len(waiting)} migrations are not applied" if waiting else ""


def _find_cache_fault() -> str:
    """Pages are served without it: a host is no better than the others, which have the same."""
    # Only Redis is a server of its own.
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
