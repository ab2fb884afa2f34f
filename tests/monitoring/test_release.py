"""A new version on several hosts at once, and how long PostgreSQL lets a process wait."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from lendingadmin.core.monitoring.management.commands.release import ANOTHER_HOST
from tests.databases import database_url
from tests.example import EXAMPLE, OWN_KEYS
from tests.lints.test_variables import ROOT
from tests.pgbouncer import name_database, needs_pgbouncer, run_pgbouncer
from tests.test_checks import product

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="one host alone runs on SQLite"),
]
__all__ = ["connection"]
_LIMITS = """
import lendingadmin.wsgi
from django.db import connection
with connection.cursor() as cursor:
    for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
        cursor.execute(f"SHOW {name}")
        print(cursor.fetchone()[0])
"""
# What a command, a long list and a write that does not wait do through a pool of two sessions.
_THROUGH_POOL = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "lendingadmin.settings"
import django; django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.waiting import atomic_waiting
from django.utils import timezone
def show(name):
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]
print(show("statement_timeout"), show("idle_in_transaction_session_timeout"))
rows = [Kept(key=str(n), value="", expires_at=timezone.now()) for n in range(3000)]
Kept.objects.bulk_create(rows)
read = 0
for row in Kept.objects.order_by("key").iterator(chunk_size=100):
    read += 1
    if read == 100:
        with atomic_waiting(1000):
            within = show("lock_timeout")
print(read, within, show("lock_timeout"))
"""


@pytest.fixture
def empty() -> Iterator[str]:
    """The address of a database in which there is nothing."""
    here, name = urlsplit(database_url()), "lendingadmin_release"
    server = here._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as own:
        own.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        own.execute(f"CREATE DATABASE {name}")
        yield here._replace(path=f"/{name}").geturl()
        own.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("through", ["server", pytest.param("pgbouncer", marks=needs_pgbouncer)])
def test_hosts_that_begin_together_migrate_one_after_the_other(through: str, empty: str) -> None:
    with ExitStack() as stack:
        address = empty
        if through == "pgbouncer":
            pooled = stack.enter_context(run_pgbouncer(empty))
            address = name_database(pooled, "lendingadmin")
        _release_on_two_hosts(address)


def _release_on_two_hosts(address: str) -> None:
    environ = {**EXAMPLE, **OWN_KEYS, "DATABASE_URL": address, "CACHE_URL": "dbcache://cache"}
    command = [sys.executable, "manage.py", "release"]
    hosts = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _number in range(2)
    ]
    told = [host.communicate(timeout=120)[0] for host in hosts]
    assert [host.returncode for host in hosts] == [0, 0], told
    assert sum(ANOTHER_HOST in one for one in told) == 1
    # The other one found them all applied.
    assert sum("Applying " in one for one in told) == 1


@pytest.fixture
def no_pool() -> None:
    """Skips where `python -m tests.pgbouncer` runs these tests."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        if cursor.fetchone()[0] == "0":
            pytest.skip("a pool stands before this server, which gives the limits itself")


@needs_pgbouncer
@pytest.mark.usefixtures("no_pool")
def test_pgbouncer_gives_the_same_limits_and_keeps_no_cursor(empty: str) -> None:
    with run_pgbouncer(empty) as pooled:
        web = name_database(pooled, "lendingadmin_web")
        told = product("-c", _LIMITS, DATABASE_URL=web)
        assert told.stdout.split() == ["30s", "1min"], told.stderr
        told = product("-c", _THROUGH_POOL, DATABASE_URL=name_database(pooled, "lendingadmin"))
        assert told.stdout.split() == ["0", "1min", "3000", "1s", "0"], told.stderr


@pytest.mark.usefixtures("no_pool")
def test_only_a_request_has_a_longest_statement(empty: str) -> None:
    told = product("-c", _LIMITS, DATABASE_URL=empty)
    assert told.stdout.split() == ["30s", "1min"], told.stderr
    told = product(
        "-c",
        _LIMITS.replace("import lendingadmin.wsgi", "import django; django.setup()"),
        DATABASE_URL=empty,
        DJANGO_SETTINGS_MODULE="lendingadmin.settings",
    )
    assert told.stdout.split() == ["0", "1min"], told.stderr
