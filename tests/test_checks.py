"""Configuration mistakes are named, and a sound configuration passes."""

import base64
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lendingadmin.core.env import cache_address, data_keys, database_address, mail_server
from lendingadmin.web import checks
from tests.databases import copy_to_file
from tests.example import EXAMPLE, OWN_KEYS, read_settings

ROOT = Path(__file__).resolve().parent.parent


def product(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the product with the example's environment and some changes to it."""
    told = EXAMPLE | OWN_KEYS | environment | {"PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=told, capture_output=True, text=True, timeout=120
    )


def ids(check: Any) -> list[str]:
    return [message.id for message in check()]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.0.0.1:8001", []),
        ("http://localhost:8001", []),
        ("http://[::1]:8001", []),
        ("https://lending.example.org", []),
        ("http://lending.example.org", ["lendingadmin.W002"] * 2),
        ("http://10.0.0.4", ["lendingadmin.W002"] * 2),
        ("http://localhost.example.org", ["lendingadmin.W002"] * 2),
    ],
)
def test_addresses_by_https(address: str, expected: list[str], settings: Any) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = settings.DASHBOARD_URL = address
    assert ids(checks.the_service_is_called_by_https) == expected
    of_the_dashboard = ["lendingadmin.W001"] * bool(expected)
    assert ids(checks.people_come_by_https) == of_the_dashboard


def test_typed_keys(settings: Any) -> None:
    typed = base64.urlsafe_b64encode(b"our secret key, as typed by hand").decode()
    random = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    settings.DATA_KEYS, settings.PEOPLE_KEYS = data_keys(f"{random},{typed}"), (random,)
    settings.AUDIT_KEYS = (random,)
    (message,) = checks.data_keys_are_random()
    assert message.id == "lendingadmin.E006"
    assert "Key 2" in message.msg
    assert typed not in str(message)
    settings.DATA_KEYS, settings.PEOPLE_KEYS = (random,), (typed,)
    (message,) = checks.data_keys_are_random()
    assert message.id == "lendingadmin.E003"
    assert "PEOPLE_KEYS" in message.msg
    settings.PEOPLE_KEYS, settings.AUDIT_KEYS = (random,), (typed,)
    (message,) = checks.data_keys_are_random()
    assert message.id == "lendingadmin.E003"
    assert "AUDIT_KEYS" in message.msg
    settings.AUDIT_KEYS = (random,)
    assert ids(checks.data_keys_are_random) == []


def test_secret_keys(settings: Any) -> None:
    example = EXAMPLE["SECRET_KEY"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "own", ["earlier"]
    assert checks.the_secret_key_is_ones_own() == []
    settings.SECRET_KEY_FALLBACKS = ["earlier", example]
    assert ids(checks.the_secret_key_is_ones_own) == ["lendingadmin.E002"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = example, []
    assert ids(checks.the_secret_key_is_ones_own) == ["lendingadmin.E002"]


@pytest.mark.parametrize(
    ("issuer", "expected"),
    [
        ("", []),
        ("https://id.example.com", []),
        ("http://127.0.0.1:9400", []),
        ("http://id.example.com", ["lendingadmin.E004"]),
    ],
)
def test_the_identity_provider(issuer: str, expected: list[str], settings: Any) -> None:
    settings.OIDC_ISSUER = issuer
    assert ids(checks.the_identity_provider_is_called_by_https) == expected


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("django.core.cache.backends.locmem.LocMemCache", ["lendingadmin.W005"]),
        ("django.core.cache.backends.dummy.DummyCache", ["lendingadmin.W005"]),
        ("lendingadmin.core.caching.backends.DatabaseCache", []),
        ("lendingadmin.core.caching.backends.RedisCache", []),
    ],
)
def test_the_cache(backend: str, expected: list[str], settings: Any) -> None:
    settings.CACHES = {"shared": {"BACKEND": backend}}
    assert ids(checks.the_cache_is_shared) == expected


@pytest.mark.parametrize(
    ("name", "address", "is_told"),
    [
        ("DATABASE_URL", "postgres://u:p@db.example.org/lending", True),
        ("DATABASE_URL", "postgres://u:p@db.example.org/lending?sslmode=prefer", True),
        ("DATABASE_URL", "postgres://u:p@db.example.org/lending?sslmode=require", False),
        ("DATABASE_URL", "postgres://u:p@db.example.org/lending?sslmode=verify-full", False),
        ("DATABASE_URL", "postgres://u:p@/lending", False),
        ("DATABASE_URL", "postgres://u:p@127.0.0.1/lending", False),
        ("DATABASE_URL", "sqlite:////tmp/lending.sqlite3", False),
        ("CACHE_URL", "redis://10.0.0.4:6379/0", True),
        ("CACHE_URL", "rediss://10.0.0.4:6379/0", False),
        ("CACHE_URL", "redis://localhost:6379/0", False),
        ("EMAIL_URL", "smtp://u:p@mail.example.org", True),
        ("EMAIL_URL", "smtp+tls://u:p@mail.example.org:587", False),
        ("EMAIL_URL", "smtp+ssl://u:p@mail.example.org:465", False),
        ("EMAIL_URL", "smtp://localhost:25", False),
        ("EMAIL_URL", "consolemail://", False),
    ],
)
def test_other_machines(
    name: str, address: str, is_told: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "DATABASE_URL": "sqlite://",
        "CACHE_URL": "dbcache://cache",
        "EMAIL_URL": "consolemail://",
        name: address,
    }
    monkeypatch.setattr(
        checks.settings, "DATABASES", {"default": database_address(given["DATABASE_URL"])}
    )
    settings.CACHES = {"shared": cache_address(given["CACHE_URL"])}
    for key, value in mail_server(given["EMAIL_URL"]).items():
        setattr(settings, key, value)
    told = [
        one.msg.split(" is the address")[0]
        for one in checks.other_machines_are_spoken_to_encrypted()
    ]
    assert told == [name] * is_told


def deploy_check(**environment: str) -> set[str]:
    told = product("manage.py", "check", "--deploy", **environment)
    assert "System check identified" in told.stdout + told.stderr
    return set(re.findall(r"\((\w+\.\w+)\)", told.stderr))


@pytest.mark.drill
def test_a_sender_of_the_example_s_host_is_told() -> None:
    server = {"EMAIL_URL": "smtp+tls://mail.example.com"}
    assert deploy_check(**server) == {"lendingadmin.W009"}
    assert deploy_check(**server, EMAIL_FROM="desk@lender.example.org") == set()


def test_variables_of_earlier_versions_are_named(settings: Any) -> None:
    old = {"ALLOWED_HOSTS": "desk.example.com", "SECRET_KEY_FALLBACKS": "", "SNAPSHOT_EVERY": "1h"}
    found = read_settings(EXAMPLE | old)["REMOVED_VARIABLES"]
    assert sorted(found) == sorted(old)
    settings.REMOVED_VARIABLES = found
    told = {one.msg.split()[0]: one.id for one in checks.no_variable_is_left_over()}
    assert told == dict.fromkeys(old, "lendingadmin.W011")
    settings.REMOVED_VARIABLES = read_settings(EXAMPLE)["REMOVED_VARIABLES"]
    assert checks.no_variable_is_left_over() == []


@pytest.mark.drill
@pytest.mark.parametrize("kept", [["SECRET_KEY"], ["DATA_KEYS"], list(OWN_KEYS)])
def test_no_release_runs_with_the_examples_own_keys(kept: list[str], tmp_path: Path) -> None:
    database = tmp_path / "dashboard.sqlite3"
    environ = {name: EXAMPLE[name] for name in kept} | {
        "DATABASE_URL": f"sqlite:///{database}",
        "CACHE_URL": "dbcache://cache",
    }
    told = product("manage.py", "release", **environ)
    assert told.returncode == 1
    assert all(name in told.stderr for name in kept)
    assert "Traceback" not in told.stderr and not database.exists()


@pytest.mark.drill
def test_a_release_runs_while_a_typed_key_is_retired(tmp_path: Path) -> None:
    keys = {name: f"{OWN_KEYS[name]},{EXAMPLE[name]}" for name in OWN_KEYS if name != "SECRET_KEY"}
    database = tmp_path / "dashboard.sqlite3"
    copy_to_file(database)
    told = product(
        "manage.py",
        "release",
        DATABASE_URL=f"sqlite:///{database}",
        CACHE_URL="dbcache://cache",
        **keys,
    )
    assert told.returncode == 0, told.stderr
    assert deploy_check(**keys) == {"lendingadmin.E006"}


@pytest.mark.drill
def test_the_example_with_keys_of_ones_own_passes_every_deploy_check() -> None:
    assert deploy_check() == set()


@pytest.mark.drill
def test_the_examples_own_keys_do_not() -> None:
    kept = {name: EXAMPLE[name] for name in OWN_KEYS}
    assert deploy_check(**kept) == {"lendingadmin.E003", "lendingadmin.E002"}


@pytest.mark.parametrize(
    ("scheme", "prefix", "secure"), [("https", "__Host-", True), ("http", "", False)]
)
def test_cookies_are_bound_to_the_host_only_under_https(
    scheme: str, prefix: str, secure: bool
) -> None:
    found = read_settings(EXAMPLE | {"DASHBOARD_URL": f"{scheme}://desk.example.org"})
    assert found.get("SESSION_COOKIE_NAME", "sessionid") == f"{prefix}sessionid"
    assert found.get("CSRF_COOKIE_NAME", "csrftoken") == f"{prefix}csrftoken"
    assert found.get("SESSION_COOKIE_SECURE", False) is secure
    assert found.get("CSRF_COOKIE_SECURE", False) is secure


@pytest.mark.parametrize(("mode", "expected"), [(0o600, []), (0o644, ["lendingadmin.W007"] * 2)])
def test_files_that_others_may_read(
    mode: int,
    expected: list[str],
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (".env", "book.sqlite3"):
        (tmp_path / name).touch(mode)
        (tmp_path / name).chmod(mode)
    settings.BASE_DIR = tmp_path
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", str(tmp_path / "book.sqlite3"))
    assert ids(checks.files_are_private) == expected


@pytest.mark.drill
def test_what_the_dashboard_writes_is_its_own(tmp_path: Path) -> None:
    """The settings are read by every process, whatever its umask was."""
    name = tmp_path / "book.sqlite3"
    connect = "import django; django.setup(); from django.db import connection as c; c.connect()"
    command = [sys.executable, "-c", connect]
    environ = {**os.environ, "DATABASE_URL": f"sqlite:///{name}"}
    environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    subprocess.run(command, env=environ, cwd=ROOT, check=True, umask=0o022)
    assert name.stat().st_mode & 0o077 == 0
