"""File `.env` of a first installation: its questions, its keys, and functions that write it."""

import os
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_bytes, token_hex, token_urlsafe
from typing import NamedTuple

from lendingadmin.core.env import (
    REMOVED,
    RULES,
    dashboard_address,
    database_address,
    lending_address,
)
from lendingadmin.core.gateway.lending_apps import read_lending_apps


class Question(NamedTuple):
    """A variable, the words that ask for it, and the reader that settings.py uses for it."""

    name: str
    words: str
    reader: Callable[[str], object]
    is_secret: bool = False


_APPS = "Apps, such as kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra"
_DATABASE = "Database, such as postgres://lendingadmin@127.0.0.1/lendingadmin"
QUESTIONS = (
    Question("LENDING_BASE_URL", "Address of the lending service", lending_address),
    Question("LENDING_CLIENT_ID", "Client id of the service account", str),
    Question("LENDING_CLIENT_SECRET", "Its secret", str, is_secret=True),
    Question("LENDING_PROJECT_ID", "Project of the apps", str),
    Question("LENDING_APPS", _APPS, read_lending_apps),
    Question("DASHBOARD_URL", "Address at which people open the dashboard", dashboard_address),
    Question("DATABASE_URL", _DATABASE, database_address),
)


def _make_key() -> str:
    return urlsafe_b64encode(token_bytes(32)).decode()


KEYS: Mapping[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: token_urlsafe(48),
    "DATA_KEYS": _make_key,
    "PEOPLE_KEYS": _make_key,
    "AUDIT_KEYS": _make_key,
}
# Used for the database of compose.yaml, instead of DATABASE_URL.
# pragma: allowlist nextline secret
POSTGRES_PASSWORD = "POSTGRES_PASSWORD"  # noqa: S105 - a name


def make_postgres_password() -> str:
    """Return a password of letters and digits, because compose.yaml puts it into an address."""
    return token_hex(24)


# Each comment of the file with the variables below it.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Settings of the dashboard, as `manage.py settings --write` writes them.", ()),
    ("docs/configure.md has the other settings, and says how to write a value.", ()),
    (
        "The lending service. If its token issuer has another address, add LENDING_AUTH_URL.",
        tuple(one.name for one in QUESTIONS if one.name.startswith("LENDING_")),
    ),
    (
        "The dashboard. With Redis and a mail server, add CACHE_URL and EMAIL_URL.",
        ("DASHBOARD_URL", "DATABASE_URL", POSTGRES_PASSWORD),
    ),
    (
        "Keys, the same on every host. Store a copy of them, but not with those of the database.",
        (*KEYS,),
    ),
)


def render(values: Mapping[str, str]) -> str:
    """Return the text of the file. Unknown variables come last, unchanged.

    Variables that are no longer read are left out, unless a migration still needs them.
    """
    known = {name for _, names in _PARTS for name in names}
    more = tuple(sorted(values.keys() - known - (REMOVED.keys() - set(RULES))))
    lines = []
    for comment, names in (*_PARTS, *((("Other settings.", more),) if more else ())):
        lines += ["", f"# {comment}"] if names else [f"# {comment}"]
        lines += [f"{name}={quote(values[name])}" for name in names if name in values]
    return "\n".join(lines) + "\n"


def quote(value: str) -> str:
    """Return a value in the form that .env, systemd and Docker Compose all read.

    Raise ValueError if there is no such form. Only a value with a space, or with a character that
    has a special meaning in one of the three, is quoted.
    """
    if "'" in value or not value.isprintable():
        raise ValueError("a value cannot have a single quote or the end of a line")
    return f"'{value}'" if set(value) & set(' $#"\\`') else value


def read_values(path: Path) -> dict[str, str]:
    """Return the values of a file that `render` made; empty if the file is missing."""
    if not path.exists():
        return {}
    lines = (line.strip() for line in path.read_text().splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip().strip("'") for name, _, value in pairs}


def write(path: Path, text: str) -> None:
    """Write the file in one step. At no time can another account than the owner's read it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
