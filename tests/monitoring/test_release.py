"""A new version on several hosts at once, and how long PostgreSQL lets a process wait."""

import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from tests.databases import database_url
from tests.lints.test_variables import ROOT
from tests.test_checks import EXAMPLE, OWN_KEYS, product

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


def test_hosts_that_begin_together_migrate_one_after_the_other(empty: str) -> None:
    environ = {**EXAMPLE, **OWN_KEYS, "DATABASE_URL": empty, "CACHE_URL": "dbcache://cache"}
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
    assert sum("Another host is at it" in one for one in told) == 1
    assert sum("No migrations to apply" in one for one in told) == 1


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
