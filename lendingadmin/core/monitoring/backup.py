"""Copy of the database while everything runs: SQLite's online backup, or pg_dump."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection

_TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl")


class BackupFailed(Exception):
    """Error: the backup was not made; the text gives the reason."""


def back_up(target: Path) -> int:
    """Copy the database into a file that only this account may read. Return its size in bytes.

    The file gets its final name when it is complete. Raise BackupFailed if the copy fails, or if
    the file exists already.
    """
    if target.exists():
        raise BackupFailed(f"{target} exists already.")
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        # The file is made first, so that other accounts can't read its content while it is written.
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _copy_postgresql(draft) if connection.vendor == "postgresql" else copy_sqlite(draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.rename(target)
    except OSError as error:
        raise BackupFailed(f"{target} can't be written: {error.strerror}.") from error
    except sqlite3.Error as error:
        raise BackupFailed(f"{target} can't be written: {error}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def copy_sqlite(draft: Path) -> None:
    connection.ensure_connection()
    with closing(sqlite3.connect(draft)) as copy:
        connection.connection.backup(copy)
        [found] = copy.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise BackupFailed(f"The copy is not complete: {found}.")


def _copy_postgresql(draft: Path) -> None:
    tool = shutil.which("pg_dump")
    if tool is None:
        raise BackupFailed("pg_dump is missing: install PostgreSQL's client programs.")
    database: dict[str, Any] = connection.settings_dict
    # Given as variables, because every account of the machine can read the command line.
    names = ("HOST", "PORT", "USER", "PASSWORD")
    environ = os.environ | {
        f"PG{name}": str(database[name]) for name in names if database.get(name)
    }
    # pg_dump checks the identity of the server as strictly as Django does.
    options = database.get("OPTIONS", {})
    environ |= {f"PG{name.upper()}": str(options[name]) for name in _TLS if name in options}
    command = [tool, "--format=custom", "--no-password", f"--file={draft}", database["NAME"]]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise BackupFailed(f"pg_dump: {ran.stderr.strip().splitlines()[-1:] or ran.returncode}")
