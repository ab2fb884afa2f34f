"""Functions that read environment variables as values for settings, and explain errors.

Each function takes the text of a variable. For a wrong text it raises ValueError with a sentence
for the person who set the variable.
"""

import re
from collections.abc import Callable, Iterable
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from environ import Env

#: Variables of earlier versions. A migration of `core.policies` saves their values as the lender's
#: rules.
RULES = (
    *("APPROVAL_LIMITS", "BORROWER_REQUIRED", "CONFIRM_ABOVE", "CONTACT_ATTEMPTS"),
    *("CONTACT_CLOSED", "CONTACT_HOLIDAYS", "CONTACT_HOURS", "EXPORTS_PER_DAY"),
    *("KEEP_ROWS_DAYS", "KEEP_TEXTS_DAYS", "LENDER_LANGUAGES", "LENDER_NAMES"),
    *("LENDING_BORROWER_STATUSES", "LENDING_LOAN_STATUSES", "LENDING_PERFORMANCE_STATUSES"),
    *("LENDING_PRODUCT_STATUSES", "MASS_READING", "SECOND_MANAGER", "SHEETS_BACK_AFTER"),
)
# Variables of earlier versions that are no longer read, with the reason. `manage.py check` names
# the variables that are still set.
_FROM_ADDRESS = "DASHBOARD_URL decides it"
_FIXED = "the value is now fixed"
_PAGE = "`release` copies it once; then managers change it on the page Settings"
_SANDBOX = "it is an option of `manage.py sandbox`"
REMOVED = {
    **dict.fromkeys(("ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "HTTPS"), _FROM_ADDRESS),
    "DASHBOARD_HOST": "compose.yaml and Caddyfile read DASHBOARD_URL",
    "DASHBOARD_WEB": "Caddyfile reads BIND and PORT",
    # pragma: allowlist nextline secret
    "SECRET_KEY_FALLBACKS": "add the earlier keys to SECRET_KEY, after the new key",
    "LENDING_SCOPE": "the scope is always platform.lending",
    "HSTS_SECONDS": "browsers use HTTPS for a year",
    "LOG_LEVEL": "the log has INFO and above",
    **dict.fromkeys(("SNAPSHOT_EVERY", "PEOPLE_EVERY"), "the number of items decides it"),
    **dict.fromkeys(("REPAYMENT_QUIET", "SLOW_CALL", "TWO_STEP_GRACE", "WRONG_PASSWORDS"), _FIXED),
    **dict.fromkeys(RULES, _PAGE),
    "DEBUG": "the demo has the styleguide",
    "DEMO": "`manage.py demo` has its own settings",
    "DEMO_HOST": "the demo reads BIND",
    "SANDBOX_PORT": "the demo's sandbox has the port after PORT",
    **dict.fromkeys(("SANDBOX_HOST", "SANDBOX_DATABASE", "SANDBOX_TOKEN_SECONDS"), _SANDBOX),
    **dict.fromkeys(("SANDBOX_PROCESSING_SECONDS", "SANDBOX_OFFER_SECONDS"), _SANDBOX),
    "SANDBOX_EXTRA_CLIENTS": _SANDBOX,
}

_MOST_HOURS = 12
_SWITCH = dict.fromkeys(("on", "yes", "true", "1"), True) | dict.fromkeys(
    ("off", "no", "false", "0"), False
)


def service_address(text: str) -> str:
    """Read an http(s) address without query or credentials; remove a trailing slash."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("give an address that starts with http:// or https://")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise ValueError("give the address without credentials, ? or #")
    return text.rstrip("/")


def lending_address(text: str) -> str:
    """Read an http(s) address of the lending service.

    The address must not end with `/v1`, because the client adds the version.
    """
    address = service_address(text)
    if address.endswith("/v1"):
        raise ValueError("leave out /v1, because it is added automatically")
    return address


def service_address_or_none(text: str) -> str:
    """Read an http(s) address; an empty text is allowed and returned unchanged."""
    return service_address(text) if text else ""


def dashboard_address(text: str) -> str:
    """Read the http(s) address at which people open the dashboard: a host, maybe with a port."""
    address = service_address(text)
    if urlsplit(address).path:
        raise ValueError("give the address without a path: https://dashboard.example.com")
    return address


def is_loopback(host: str) -> bool:
    """Return True if a host name or IP address means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def mail_server(text: str) -> dict[str, Any]:
    """Read the mail server, `smtp+tls://user:password@host:587`, for Django's settings."""
    try:
        config: dict[str, Any] = Env.email_url_config(text)
    except (ImproperlyConfigured, ValueError):
        config = {}
    by_network = config.get("EMAIL_BACKEND", "").endswith("smtp.EmailBackend")
    if not config or (by_network and not config["EMAIL_HOST"]):
        # The text contains a password, and logs contain this sentence.
        raise ValueError(
            "give smtp+tls://user:password@host:587, smtp+ssl://…, smtp://…, consolemail://, "
            "filemail:///folder or dummymail://"
        ) from None
    return config


def database_address(text: str) -> dict[str, Any]:
    """Read the address of the database, `postgres://user:password@host/name`, for settings."""
    return _read_address(
        Env.db_url_config, Env.DB_SCHEMES, text, "postgres://user:password@host:5432/name"
    )


_REDIS = "lendingadmin.core.caching.backends.RedisCache"
# Django's own shared caches are left out, because they unpickle values, and a pickle can run code.
_CACHES = {
    "dbcache": "lendingadmin.core.caching.backends.DatabaseCache",
    "redis": _REDIS,
    "rediss": _REDIS,
    "locmemcache": "django.core.cache.backends.locmem.LocMemCache",
}


def cache_address(text: str) -> dict[str, Any]:
    """Read the address of the cache, `redis://host:6379/0`, for Django's settings."""
    form = "redis://host:6379/0 or dbcache://cache"
    address = _read_address(Env.cache_url_config, _CACHES, text, form)
    return address | {"BACKEND": _CACHES[text.partition("://")[0]]}


def _read_address(
    parse: Callable[[str], dict[str, Any]], schemes: Iterable[str], text: str, form: str
) -> dict[str, Any]:
    """Parse an address.

    The text may contain a password, so the error does not repeat it.
    """
    if text.partition("://")[0] not in schemes:
        raise ValueError(f"give an address such as {form}")
    try:
        if _cuts_password(text):
            raise ValueError
        return parse(text)
    except (ImproperlyConfigured, ValueError, KeyError):
        signs = "in a password / is %2F, @ is %40, # is %23, ? is %3F"
        raise ValueError(f"give an address such as {form}; {signs}") from None


def _cuts_password(text: str) -> bool:
    """Return True if a character in the password makes the host end too early.

    In this case an error of the database would show the rest of the password.
    """
    host = urlsplit(text).netloc
    return bool(host) and "@" not in host and "@" in text


def mail_address(text: str) -> str:
    """Read a sender: `desk@example.com` or `Lending <desk@example.com>`."""
    name, at, host = parseaddr(text)[1].rpartition("@")
    if not (name and at and host) or "\n" in text:
        raise ValueError(f"“{text}” is not a mail address")
    return text


def secret_keys(text: str) -> list[str]:
    """Read the keys that sign sessions and forms, newest first."""
    keys = words(text)
    if not keys:
        raise ValueError("give at least one key")
    return keys


def data_keys(text: str) -> tuple[str, ...]:
    """Read the keys for encryption at rest, newest first (each 32 bytes, URL-safe base64)."""
    keys = tuple(filter(None, (piece.strip() for piece in text.split(","))))
    if not keys:
        raise ValueError("give at least one key; `manage.py new_data_key` prints one")
    for position, key in enumerate(keys, start=1):
        try:
            Fernet(key)
        except (ValueError, TypeError):
            # The sentence must not contain the key, because logs contain the sentence.
            raise ValueError(f"key {position} is not 32 bytes of URL-safe base64") from None
    return keys


def whole_number(text: str) -> int:
    """Read an integer of at most nine digits, 0 or more."""
    if not re.fullmatch(r"[0-9]{1,9}", text.strip()):
        raise ValueError(f"“{text}” is not a whole number")
    return int(text)


def positive_number(text: str) -> int:
    """Read an integer of at most nine digits, 1 or more."""
    if not whole_number(text):
        raise ValueError("give 1 or more")
    return int(text)


def session_hours(text: str) -> int:
    """Read the maximum duration of a session in hours: 1 to 12."""
    hours = positive_number(text)
    if hours > _MOST_HOURS:
        raise ValueError(f"give {_MOST_HOURS} hours or fewer")
    return hours


def switch(text: str) -> bool:
    """Read on/off, yes/no, true/false or 1/0 as a boolean."""
    word = text.strip().lower()
    if word not in _SWITCH:
        raise ValueError(f"“{text}” must be on or off")
    return _SWITCH[word]


def words(text: str) -> list[str]:
    """Read a list separated by commas."""
    return [piece.strip() for piece in text.split(",") if piece.strip()]


def words_or_none(text: str) -> list[str]:
    """Read a list separated by commas; `none` is an empty list."""
    return [] if text.strip().lower() == "none" else words(text)


def file_or_none(text: str) -> str:
    """Read the path of a file; `none` is read as empty."""
    return "" if text.strip().lower() == "none" else text


def existing_file_or_none(text: str) -> str:
    """Read the path of a file that must exist; `none` is read as empty."""
    path = file_or_none(text)
    if path and not Path(path).is_file():
        raise ValueError(f"there is no file “{path}”")
    return path


def proxy_address_or_none(text: str) -> str:
    """Read the http(s) address of a proxy, with or without name and password; may be empty."""
    parts = urlsplit(text)
    is_address = parts.scheme in ("http", "https") and parts.hostname
    if text and (not is_address or parts.path.strip("/") or parts.query):
        # The text may contain a password, so the error does not repeat it.
        raise ValueError("give the address of a proxy, such as http://proxy.example.com:3128")
    return text


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a reader that accepts only these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"“{text}” is not one of: {', '.join(choices)}")
        return text

    return read
