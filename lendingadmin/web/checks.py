"""Django system checks that find mistakes in the settings. `check --deploy` runs all of them."""

import base64
from collections.abc import Collection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register
from django.db import DatabaseError
from django.urls import get_resolver

from lendingadmin.core.env import REMOVED, is_loopback
from lendingadmin.core.gateway.management.commands.lending_check import ANSWERS
from lendingadmin.web.access import guards_itself, routes, rule_of
from lendingadmin.web.policies import list_wordless

_NEW_KEY = (
    "`manage.py new_data_key` prints a random key. If data are already encrypted, leave the old "
    "key after the new one."
)
_RETIRED_KEY = (
    "Remove the old key when it is no longer needed (`manage.py reencrypt`; docs/operate.md, Keys)."
)


@register(Tags.security)
def files_are_private(**_: Any) -> list[CheckMessage]:
    """Warn if other accounts of this machine may read the database files or the keys in `.env`."""
    kept = [settings.BASE_DIR / ".env"]
    for database in settings.DATABASES.values():
        if database["ENGINE"] == "django.db.backends.sqlite3":
            kept += [Path(f"{database['NAME']}{end}") for end in ("", "-wal", "-shm")]
    return [
        Warning(
            f"Other accounts on this machine may read {path.name}.",
            hint=f"chmod 600 {path}",
            id="lendingadmin.W007",
        )
        for path in kept
        if path.exists() and path.stat().st_mode & 0o077
    ]


@register(Tags.urls)
def every_view_declares_access(**_: Any) -> list[CheckMessage]:
    """Report each view that does not declare its access.

    Such a view would return 404 to everyone.
    """
    return [
        Error(
            f"The view at “/{route}” does not declare its access.",
            hint="Put @access(…), @signed_in() or @public() of lendingadmin.web.access on it.",
            obj=f"{getattr(view, '__module__', '?')}.{getattr(view, '__qualname__', view)}",
            id="lendingadmin.E001",
        )
        for route, view in routes(get_resolver().url_patterns)
        if rule_of(view) is None and not guards_itself(view)
    ]


@register(ANSWERS)
def status_numbers_have_words(
    databases: Collection[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Report the status numbers from the service that have no word.

    Report nothing without `databases`, or before the database has its tables.
    """
    if databases is None:
        return []
    try:
        found = list_wordless()
    except DatabaseError:
        return []
    return [
        Info(
            f"{table}: {number} has no word yet. Managers add it under Settings.",
            id="lendingadmin.I001",
        )
        for table, number in found
    ]


@register()
def no_variable_is_left_over(**_: Any) -> list[CheckMessage]:
    """Warn of each variable that is set, but has no effect since an earlier version."""
    return [
        Warning(
            f"{name} is set, but no longer read: {REMOVED[name]}.",
            hint="Remove it from .env, or from where the environment is set.",
            id="lendingadmin.W011",
        )
        for name in settings.REMOVED_VARIABLES
    ]


@register(Tags.security, deploy=True)
def people_come_by_https(**_: Any) -> list[CheckMessage]:
    """Warn if people open the dashboard without https from other machines.

    Passwords would be readable on the network.
    """
    if not _plain_to_elsewhere(settings.DASHBOARD_URL):
        return []
    return [
        Warning(
            "DASHBOARD_URL is an unencrypted http:// address of another machine.",
            hint="Use the https:// address of a proxy that ends TLS.",
            id="lendingadmin.W001",
        )
    ]


@register(Tags.security, deploy=True)
def the_service_is_called_by_https(**_: Any) -> list[CheckMessage]:
    """Warn if the service is called without https, because secret and tokens would be readable."""
    return [
        Warning(
            f"{name} is an unencrypted http:// address of another machine.",
            hint="Use an https:// address.",
            id="lendingadmin.W002",
        )
        for name in ("LENDING_BASE_URL", "LENDING_AUTH_URL")
        if _plain_to_elsewhere(getattr(settings, name))
    ]


@register(Tags.security)
def the_demo_is_on_this_machine(**_: Any) -> list[CheckMessage]:
    """Report a demo whose service is on another machine.

    Everybody could sign in to such a dashboard with one click.
    """
    if not settings.DEMO or is_loopback(urlsplit(settings.LENDING_BASE_URL).hostname or ""):
        return []
    return [
        Error(
            "DEMO is on, but LENDING_BASE_URL is the address of another machine.",
            hint="Use lendingadmin.settings for a real service.",
            id="lendingadmin.E007",
        )
    ]


@register(Tags.security)
def the_identity_provider_is_called_by_https(**_: Any) -> list[CheckMessage]:
    """Report an identity provider on another machine that is called without https.

    An attacker who reads or changes the provider's answers could sign in as any person.
    """
    if not _plain_to_elsewhere(settings.OIDC_ISSUER):
        return []
    return [
        Error(
            "OIDC_ISSUER is an unencrypted http:// address of another machine.",
            hint="Use an https:// address.",
            id="lendingadmin.E004",
        )
    ]


@register(Tags.security, deploy=True)
def other_machines_are_spoken_to_encrypted(**_: Any) -> list[CheckMessage]:
    """Warn of unencrypted connections to other machines.

    The passwords and the data for the database, the cache and the mail server would be readable.
    """
    return [
        Warning(
            f"{name} is the address of another machine without encryption.",
            hint=hint,
            id="lendingadmin.W008",
        )
        for name, hint, is_plain in (
            (
                "DATABASE_URL",
                "Add ?sslmode=verify-full, or at least require.",
                _has_plain_database(),
            ),
            ("CACHE_URL", "Give a rediss:// address.", _has_plain_cache()),
            ("EMAIL_URL", "Give an smtp+tls:// or smtp+ssl:// address.", _has_plain_mail()),
        )
        if is_plain
    ]


def _has_plain_database() -> bool:
    return any(
        one["ENGINE"] != "django.db.backends.sqlite3"
        # A database without a host, or with a path as its host, is a socket of this machine.
        and not (is_loopback(one["HOST"]) or one["HOST"].startswith("/") or not one["HOST"])
        and one.get("OPTIONS", {}).get("sslmode") not in ("require", "verify-ca", "verify-full")
        for one in settings.DATABASES.values()
    )


def _has_plain_cache() -> bool:
    location = settings.CACHES["shared"].get("LOCATION", "")
    return any(map(_plain_to_elsewhere, [location] if isinstance(location, str) else location))


def _has_plain_mail() -> bool:
    return (
        settings.EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"
        and not is_loopback(settings.EMAIL_HOST)
        and not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL)
    )


@register(Tags.security, deploy=True)
def data_keys_are_random(**_: Any) -> list[CheckMessage]:
    """Report a key that was typed or copied from an example, because it protects nothing."""
    return [
        Error(
            f"Key {position} of {name} is text, not random bytes.",
            hint=_NEW_KEY if position == 1 else _RETIRED_KEY,
            # Data are already encrypted with a retired key, so a release does not refuse this key.
            id="lendingadmin.E003" if position == 1 else "lendingadmin.E006",
        )
        for name in ("DATA_KEYS", "PEOPLE_KEYS", "AUDIT_KEYS")
        for position, key in enumerate(getattr(settings, name), start=1)
        # 32 random bytes are all printable once in 10^13 keys.
        if all(32 <= byte < 127 for byte in base64.urlsafe_b64decode(key))
    ]


@register(Tags.security, deploy=True)
def the_secret_key_is_ones_own(**_: Any) -> list[CheckMessage]:
    """Report the key of `.env.example`, because every reader of the repository knows this key."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    if not any(key.startswith("replace-me") for key in keys):
        return []
    return [
        Error(
            "SECRET_KEY holds the key of .env.example.",
            hint="Make your own key: openssl rand -base64 48",
            id="lendingadmin.E002",
        )
    ]


@register(Tags.security, deploy=True)
def the_sender_is_ones_own(**_: Any) -> list[CheckMessage]:
    """Warn of a sender at example.com, because mail servers refuse such mail."""
    sends = settings.EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"
    if not sends or "example.com" not in settings.DEFAULT_FROM_EMAIL:
        return []
    return [
        Warning(
            f"The sender of mail is {settings.DEFAULT_FROM_EMAIL}.",
            hint="Set EMAIL_FROM to your own address, for which your mail server may send.",
            id="lendingadmin.W009",
        )
    ]


@register(Tags.caches, deploy=True)
def the_cache_is_shared(**_: Any) -> list[CheckMessage]:
    """Warn if each process has its own cache, because processes share the service's answers."""
    backend = settings.CACHES["shared"]["BACKEND"]
    if not backend.endswith(("LocMemCache", "DummyCache")):
        return []
    return [
        Warning(
            f"CACHE_URL names {backend.rpartition('.')[2]}, which processes do not share.",
            hint="Remove CACHE_URL, so that the database is used, or use redis://….",
            id="lendingadmin.W005",
        )
    ]


def _plain_to_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "redis") and not is_loopback(parts.hostname or "")
