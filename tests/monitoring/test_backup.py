"""A copy of the database: what pg_dump is told, and what a full disk leaves behind."""

import sqlite3
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lendingadmin.core.monitoring import backup


def test_the_server_proves_itself_to_pg_dump_as_to_the_dashboard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = {"sslmode": "verify-full", "sslrootcert": "/etc/ssl/ca.pem", "connect_timeout": 5}
    named = {"NAME": "lending", "HOST": "db", "PORT": 5432, "USER": "u", "PASSWORD": "hush"}
    database = SimpleNamespace(settings_dict={**named, "OPTIONS": options})
    ran: dict[str, Any] = {}

    def run(command: list[str], *, env: dict[str, str], **_: Any) -> Any:
        ran.update(command=command, env=env)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(backup, "connection", database)
    monkeypatch.setattr(backup.shutil, "which", lambda _: "pg_dump")
    monkeypatch.setattr(subprocess, "run", run)
    backup._copy_postgresql(tmp_path / "copy")
    told = {name: ran["env"][name] for name in ("PGSSLMODE", "PGSSLROOTCERT", "PGPASSWORD")}
    assert list(told.values()) == ["verify-full", "/etc/ssl/ca.pem", "hush"]
    assert "hush" not in " ".join(ran["command"])


def test_a_full_disk_leaves_no_copy_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fill(_: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(backup, "connection", SimpleNamespace(vendor="sqlite"))
    monkeypatch.setattr(backup, "copy_sqlite", fill)
    with pytest.raises(backup.BackupFailed, match="disk is full"):
        backup.back_up(tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
