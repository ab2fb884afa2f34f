"""One database is migrated for each state of the code; all others of the tests are its copies."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.db import connection, connections

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "var" / "tests"
# What an empty database holds is decided here, besides the migrations.
_DECIDING = (
    "requirements.lock",
    "tests/databases.py",
    "tests/settings.py",
    "lendingadmin/core/audit/triggers.py",
    "lendingadmin/core/staff/roles.py",
    "lendingadmin/core/staff/sync.py",
)
# Seconds after which nobody copies an old one any more.
_IN_USE = 3600
_POSTGRES_LOCK = 4711
_POSTGRES_MODEL = "lendingadmin_tests_model"
# The canary is left out: it tells the keys of the process that wrote it.
_MIGRATE = """
import django
django.setup()
from django.core.management import call_command
from django.conf import settings
from django.db import connection, connections
call_command("migrate", verbosity=0)
call_command("createcachetable", verbosity=0)
from lendingadmin.core.monitoring.models import Canary
Canary.objects.all().delete()
connection.close()
"""


def database_url() -> str:
    """Return the address of the database of this test, for another process."""
    known = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}"
    login = known["USER"] + (f":{known['PASSWORD']}" if known["PASSWORD"] else "")
    place = known["HOST"] + (f":{known['PORT']}" if known["PORT"] else "")
    return f"postgres://{login}@{place}/{known['NAME']}"


@contextmanager
def use_copy(name: str) -> Iterator[None]:
    """Let this process use a migrated database of this name, which is gone behind the block."""
    with ExitStack() as stack:
        if connection.vendor == "sqlite":
            folder = stack.enter_context(TemporaryDirectory(prefix="lendingadmin-tests-"))
            own = str(Path(folder) / f"{name}.sqlite3")
            copy_to_file(Path(own))
        else:
            stack.enter_context(copy_to_server(database_url(), own := name))
        connection.close()
        before = connection.settings_dict["NAME"]
        settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = own
        yield
        connections.close_all()
        settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = before


def copy_to_file(path: Path) -> None:
    """Make a migrated SQLite database at this path."""
    shutil.copyfile(keep_model("database", hash_code(), _migrate_file) / "own.sqlite3", path)


def keep_model(name: str, state: str, make: Callable[[Path], None]) -> Path:
    """Return the folder of what is copied under this name; the first process makes it.

    It is made anew in another `state`, by a function that is given the empty folder.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder := FOLDER / f"{name}-{state}").exists():
            for old in FOLDER.glob(f"{name}-*"):
                if time.time() - old.stat().st_mtime > _IN_USE:
                    shutil.rmtree(old)
            # One is left where the code that fills it failed.
            shutil.rmtree(unfinished := FOLDER / f"{name}-unfinished", ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


@contextmanager
def copy_to_server(server: str, name: str) -> Iterator[str]:
    """Make a migrated database of this name on a PostgreSQL server; drop it afterwards.

    `server` is the address of another database there. Yields the address of the copy.
    """
    with psycopg.connect(server, autocommit=True) as own:
        own.execute("SELECT pg_advisory_lock(%s)", [_POSTGRES_LOCK])
        try:
            _keep_model_current(own, server)
            own.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            own.execute(f'CREATE DATABASE "{name}" TEMPLATE {_POSTGRES_MODEL}')
        finally:
            own.execute("SELECT pg_advisory_unlock(%s)", [_POSTGRES_LOCK])
    try:
        yield _at(server, name)
    finally:
        with psycopg.connect(server, autocommit=True) as own:
            own.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _migrate_file(folder: Path) -> None:
    _migrate(f"sqlite:///{folder / 'own.sqlite3'}")
    with closing(sqlite3.connect(folder / "own.sqlite3")) as own:  # one file, without its log
        own.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _keep_model_current(own: "psycopg.Connection[tuple[object, ...]]", server: str) -> None:
    """Make the model anew unless its comment names this state of the code."""
    found = own.execute(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s",
        [_POSTGRES_MODEL],
    ).fetchone()
    state = hash_code()
    if found != (state,):
        own.execute(f"DROP DATABASE IF EXISTS {_POSTGRES_MODEL} WITH (FORCE)")
        own.execute(f"CREATE DATABASE {_POSTGRES_MODEL}")
        _migrate(_at(server, _POSTGRES_MODEL))
        own.execute(f"COMMENT ON DATABASE {_POSTGRES_MODEL} IS '{state}'")


def _migrate(address: str) -> None:
    ours = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": address}
    subprocess.run([sys.executable, "-c", _MIGRATE], cwd=ROOT, env=ours, check=True)


def _at(server: str, name: str) -> str:
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def hash_code(*folders: str) -> str:
    """Return a name for the code that makes an empty database, and that of these folders."""
    patterns = ("lendingadmin/**/migrations/*.py", *(f"{folder}/**/*.py" for folder in folders))
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)}
    digest = hashlib.sha256(sys.version.encode())
    for path in (*sorted(paths), *map(ROOT.joinpath, _DECIDING)):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
