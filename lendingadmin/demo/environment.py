"""The demo's environment: every variable that the dashboard and the sandbox read.

manage.py calls `prepare` before settings load, so that a `.env` file for a real service does
not reach the demo.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from secrets import token_urlsafe

from cryptography.fernet import Fernet

BASE_DIR = Path(__file__).resolve().parents[2]
VAR_DIR = BASE_DIR / "var"

#: The settings that a person may change for the demo, with their defaults (docs/configure.md).
DEFAULTS = {
    "PORT": "8000",
    "DEMO_HOST": "127.0.0.1",
    "DEMO_PASSWORD": "demo",
    "SANDBOX_PORT": "8001",
    "SANDBOX_HOST": "127.0.0.1",
    "SANDBOX_CLIENT_ID": "sandbox",
    "SANDBOX_CLIENT_SECRET": "sandbox-secret",
    "SANDBOX_TOKEN_SECONDS": "3600",
    "SANDBOX_PROCESSING_SECONDS": "4",
    "SANDBOX_OFFER_SECONDS": "86400",
    "SANDBOX_EXTRA_CLIENTS": "",
    "SANDBOX_DATA_KEY": "",
    "CACHE_URL": "dbcache://cache",
}

# The file with the end of the demo's audit trail, which is removed with the demo's database.
ANCHOR = "demo-audit-anchor.json"

_SECRETS: Mapping[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: token_urlsafe(48),
    "DATA_KEYS": lambda: Fernet.generate_key().decode(),
    "PEOPLE_KEYS": lambda: Fernet.generate_key().decode(),
    "AUDIT_KEYS": lambda: Fernet.generate_key().decode(),
}


def prepare(environ: MutableMapping[str, str], var: Path = VAR_DIR) -> None:
    """Set every variable that the demo needs; ports and databases in `environ` are not changed."""
    environ.update(variables(environ, kept_secrets(var / "demo.env"), var))


def variables(given: Mapping[str, str], secrets: Mapping[str, str], var: Path) -> dict[str, str]:
    """Return all settings of the demo. Databases are in `var` unless `given` names others."""
    chosen = {name: given.get(name) or default for name, default in DEFAULTS.items()}
    service = f"http://127.0.0.1:{chosen['SANDBOX_PORT']}"
    is_known = chosen["DEMO_PASSWORD"] == DEFAULTS["DEMO_PASSWORD"]
    is_local = chosen["DEMO_HOST"] == "127.0.0.1"
    return {
        **chosen,
        **secrets,
        "AUDIT_ANCHOR": given.get("AUDIT_ANCHOR") or str(var / ANCHOR),
        "SANDBOX_DATABASE": given.get("SANDBOX_DATABASE") or str(var / "sandbox.sqlite3"),
        # The demo has its own database, so that its people never enter the default database.
        "DATABASE_URL": given.get("DATABASE_URL") or f"sqlite:///{var / 'demo.sqlite3'}",
        "LENDING_BASE_URL": service,
        "LENDING_AUTH_URL": service,
        "LENDING_CLIENT_ID": chosen["SANDBOX_CLIENT_ID"],
        "LENDING_CLIENT_SECRET": chosen["SANDBOX_CLIENT_SECRET"],
        "LENDING_SCOPE": "platform.lending",
        "LENDING_PROJECT_ID": "demo",
        "LENDING_APPS": "kenya:KES:Africa/Nairobi,ghana:GHS:Africa/Accra",
        "LENDING_CUSTOM_METHODS": "colon",
        "REPAYMENT_QUIET": given.get("REPAYMENT_QUIET") or "15m",
        "SNAPSHOT_EVERY": given.get("SNAPSHOT_EVERY") or "10m",
        "SNAPSHOT_MONTH_ENDS": given.get("SNAPSHOT_MONTH_ENDS") or "0",
        "PEOPLE_EVERY": given.get("PEOPLE_EVERY") or "10m",
        "SESSION_HOURS": "12",
        "AUDIT_LINES": "off",
        "LENDING_CA_FILE": "none",
        "LENDING_PROXY": "",
        "METRICS_TOKEN": "",
        "SENTRY_DSN": "",
        "LOG_FORMAT": given.get("LOG_FORMAT") or "line",
        "LOG_LEVEL": given.get("LOG_LEVEL") or "INFO",
        "SLOW_CALL": given.get("SLOW_CALL") or "3s",
        "SECRET_KEY_FALLBACKS": "",
        "DEBUG": "off",
        # Sign-in with one click, only where everybody knows the password.
        "DEMO": given.get("DEMO") or ("on" if is_known and is_local else "off"),
        "HTTPS": "off",
        "HSTS_SECONDS": "0",
        # If the address is not loopback, the host names that people use are not known.
        "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]" if is_local else "*",
        "CSRF_TRUSTED_ORIGINS": "",
        "TRUSTED_PROXIES": "0",
        "TWO_STEP_ROLES": "none",
        "TWO_STEP_GRACE": "168h",
        "SIGN_INS_PER_MINUTE": "120",
        "WRONG_PASSWORDS": "5",
        "OIDC_ISSUER": "",
        "OIDC_NAME": "Identity provider",
        "OIDC_CLIENT_ID": "",
        "OIDC_CLIENT_SECRET": "",
        "OIDC_SCOPE": "openid profile email",
        "OIDC_GROUPS_CLAIM": "groups",
        "OIDC_ROLES": "",
        "LOCAL_SIGN_IN": "on",
        "EMAIL_URL": "consolemail://",
        "EMAIL_FROM": "lendingadmin@localhost",
        "DASHBOARD_URL": f"http://localhost:{chosen['PORT']}",
    }


def kept_secrets(path: Path) -> dict[str, str]:
    """Return the demo's secrets, from a file that only its owner can read.

    A missing secret is made and saved. Other secrets do not change, so that data encrypted with
    them remains readable.
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
