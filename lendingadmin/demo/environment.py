"""Environment of the demo: every variable that the dashboard reads.

manage.py calls `prepare` before Django loads the settings, so that the demo never uses a `.env`
file for a real service.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from secrets import token_urlsafe

from cryptography.fernet import Fernet

BASE_DIR = Path(__file__).resolve().parents[2]
VAR_DIR = BASE_DIR / "var"

#: Settings that a person may change for the demo, with their defaults (docs/configure.md).
DEFAULTS = {"PORT": "8000", "BIND": "127.0.0.1", "CACHE_URL": "dbcache://cache"}

#: Password of the demo's people, if only this machine can reach the demo.
PASSWORD = "demo"  # noqa: S105 - everybody knows it

# File with the end of the demo's audit trail. It is removed together with the demo's database.
ANCHOR = "demo-audit-anchor.json"

_SECRETS: Mapping[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: token_urlsafe(48),
    "DATA_KEYS": lambda: Fernet.generate_key().decode(),
    "PEOPLE_KEYS": lambda: Fernet.generate_key().decode(),
    "AUDIT_KEYS": lambda: Fernet.generate_key().decode(),
    # For a demo that other machines can reach, because everybody knows PASSWORD.
    "DEMO_PASSWORD": lambda: token_urlsafe(9),
}


def prepare(environ: MutableMapping[str, str], var: Path = VAR_DIR) -> None:
    """Set every variable that the demo needs. Ports and databases in `environ` do not change."""
    environ.update(variables(environ, kept_secrets(var / "demo.env"), var))


def variables(given: Mapping[str, str], secrets: Mapping[str, str], var: Path) -> dict[str, str]:
    """Return all settings of the demo. Databases are in `var` unless `given` names others."""
    chosen = {name: given.get(name) or default for name, default in DEFAULTS.items()}
    port = chosen["PORT"]
    is_local = chosen["BIND"] == DEFAULTS["BIND"]
    return {
        **chosen,
        **secrets,
        **({"DEMO_PASSWORD": PASSWORD} if is_local else {}),
        "AUDIT_ANCHOR": given.get("AUDIT_ANCHOR") or str(var / ANCHOR),
        # The demo has its own database, so that its people are never in the default database.
        "DATABASE_URL": given.get("DATABASE_URL") or f"sqlite:///{var / 'demo.sqlite3'}",
        # The sandbox has the next port. The command refuses a text that is not a port.
        "LENDING_BASE_URL": f"http://127.0.0.1:{int(port) + 1 if port.isdecimal() else port}",
        "LENDING_AUTH_URL": "",
        "LENDING_CLIENT_ID": "sandbox",
        "LENDING_CLIENT_SECRET": "sandbox-secret",
        "LENDING_PROJECT_ID": "demo",
        "LENDING_APPS": "kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra",
        "LENDING_CUSTOM_METHODS": "colon",
        "SNAPSHOT_MONTH_ENDS": given.get("SNAPSHOT_MONTH_ENDS") or "0",
        "SESSION_HOURS": "12",
        "AUDIT_LINES": "off",
        "LENDING_CA_FILE": "none",
        "LENDING_PROXY": "",
        "METRICS_TOKEN": "",
        "SENTRY_DSN": "",
        "LOG_FORMAT": given.get("LOG_FORMAT") or "line",
        "TRUSTED_PROXIES": "0",
        "TWO_STEP_ROLES": "none",
        "SIGN_INS_PER_MINUTE": "120",
        "OIDC_ISSUER": "",
        "OIDC_NAME": "Identity provider",
        "OIDC_CLIENT_ID": "",
        "OIDC_CLIENT_SECRET": "",
        "OIDC_SCOPE": "openid profile email",
        "OIDC_GROUPS_CLAIM": "groups",
        "OIDC_ROLES": "",
        "LOCAL_SIGN_IN": "on",
        "EMAIL_URL": "consolemail://",
        "EMAIL_FROM": "",
        "DASHBOARD_URL": f"http://localhost:{port}",
    }


def find_sandbox_database(environ: Mapping[str, str], var: Path = VAR_DIR) -> Path:
    """Return the sandbox's file: next to the demo's SQLite file, or in `var` with PostgreSQL."""
    kind, _, place = environ["DATABASE_URL"].partition(":///")
    return (Path(place).parent if kind == "sqlite" else var) / "sandbox.sqlite3"


def kept_secrets(path: Path) -> dict[str, str]:
    """Return the demo's secrets, from a file that only its owner can read.

    A secret that is missing is made and saved. Other secrets do not change, because they encrypt
    the demo's data.
    """
    kept = _read(path)
    if kept.keys() == _SECRETS.keys():
        return kept
    made = {name: make() for name, make in _SECRETS.items()} | kept
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in made.items())
    return made


def _read(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    pairs = (line.partition("=") for line in path.read_text().splitlines())
    return {name: value for name, _, value in pairs if name in _SECRETS}
