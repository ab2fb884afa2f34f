"""The demo's environment: whole, its own, and kept from one run to the next."""

import os
import runpy
import stat
from pathlib import Path
from unittest.mock import patch

import pytest
from cryptography.fernet import Fernet

from lendingadmin.demo.environment import (
    PASSWORD,
    find_sandbox_database,
    kept_secrets,
    prepare,
    variables,
)

SECRETS = {"SECRET_KEY": "s" * 50, "DATA_KEYS": "k"}


def test_what_points_at_a_real_service_is_overruled(tmp_path: Path) -> None:
    environ = {
        "LENDING_BASE_URL": "https://lending.example.com",
        "LENDING_AUTH_URL": "https://auth.example.com",
        "LENDING_CLIENT_SECRET": "a real one",
        "SECRET_KEY": "a real one",
        "DASHBOARD_URL": "https://desk.example.com",
    }
    prepare(environ, tmp_path)
    assert (environ["LENDING_BASE_URL"], environ["LENDING_AUTH_URL"]) == (
        "http://127.0.0.1:8001",
        "",
    )
    assert environ["DASHBOARD_URL"] == "http://localhost:8000"
    assert "a real one" not in environ.values()


def test_ports_and_databases_are_the_persons(tmp_path: Path) -> None:
    given = {
        "PORT": "8010",
        "DATABASE_URL": "postgres://demo@db/demo",
        "CACHE_URL": "redis://cache/0",
    }
    environ = variables(given, SECRETS, tmp_path)
    assert environ.items() >= given.items()
    assert environ["LENDING_BASE_URL"] == "http://127.0.0.1:8011"
    assert environ["DASHBOARD_URL"] == "http://localhost:8010"


def test_an_empty_variable_counts_as_not_given(tmp_path: Path) -> None:
    environ = variables({"PORT": "", "DATABASE_URL": ""}, SECRETS, tmp_path)
    assert environ["PORT"] == "8000"
    assert environ["DATABASE_URL"] == f"sqlite:///{tmp_path}/demo.sqlite3"


def test_the_demo_has_a_database_of_its_own(tmp_path: Path) -> None:
    environ = variables({}, SECRETS, tmp_path)
    assert not environ["DATABASE_URL"].endswith("lendingadmin.sqlite3")


def test_the_sandbox_has_a_file_next_to_the_demos(tmp_path: Path) -> None:
    near = {"DATABASE_URL": f"sqlite:///{tmp_path}/some/demo.sqlite3"}
    assert find_sandbox_database(near) == tmp_path / "some" / "sandbox.sqlite3"
    far = {"DATABASE_URL": "postgres://demo@db/demo"}
    assert find_sandbox_database(far, tmp_path) == tmp_path / "sandbox.sqlite3"


@pytest.mark.parametrize("host", ["", "127.0.0.1", "0.0.0.0", "10.0.0.4"])
def test_everybody_knows_the_password_only_on_this_machine(host: str, tmp_path: Path) -> None:
    secrets = kept_secrets(tmp_path / "demo.env")
    environ = variables({"BIND": host}, secrets, tmp_path)
    is_local = host in ("", "127.0.0.1")
    assert environ["DEMO_PASSWORD"] == (PASSWORD if is_local else secrets["DEMO_PASSWORD"])
    assert len(secrets["DEMO_PASSWORD"]) >= 12
    with patch.dict(os.environ, environ, clear=True), patch("environ.Env.read_env"):
        found = runpy.run_module("lendingadmin.demo.settings")
    assert found["DEMO"] is is_local
    assert ("*" in found["ALLOWED_HOSTS"]) is not is_local


def test_secrets_are_made_once_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "var" / "demo.env"
    made = kept_secrets(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_secrets(path) == made
    Fernet(made["DATA_KEYS"])
    assert len(made["SECRET_KEY"]) >= 50
    assert kept_secrets(tmp_path / "other.env") != made


def test_a_secret_that_is_missing_is_made_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "demo.env"
    path.write_text("SECRET_KEY=only-this\n")
    made = kept_secrets(path)
    assert made["SECRET_KEY"] == "only-this"
    assert Fernet(made["DATA_KEYS"]) and made["PEOPLE_KEYS"] != made["DATA_KEYS"]
    assert kept_secrets(path) == made
