"""Browsers with which a person signed in before. Each has its own count of wrong passwords."""

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from .models import User

COOKIE = "__Host-known" if settings.HTTPS else "known"
_SALT = "staff.known_browser"
_SECONDS = 180 * 24 * 60 * 60
# Most people that one browser remembers: those who signed in last.
_MOST = 8


def find_key(request: HttpRequest, person: User | None) -> str:
    """Return the key of this browser for a person; empty if the person never signed in with it."""
    return _read_keys(request).get(str(person.pk), "") if person else ""


def remember(*, request: HttpRequest, response: HttpResponse, user: User, **_signal: Any) -> None:
    """Save in a cookie, at the end of a sign-in, that the person signed in with this browser."""
    keys = _read_keys(request)
    # The key must not change, because the counter of wrong passwords belongs to the key.
    own = keys.pop(str(user.pk), "") or secrets.token_urlsafe(16)
    newest = [(str(user.pk), own), *keys.items()][:_MOST]
    response.set_cookie(
        COOKIE,
        signing.dumps(dict(newest), salt=_SALT),
        max_age=_SECONDS,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _read_keys(request: HttpRequest) -> dict[str, str]:
    """Return the keys of a browser by person.

    The result is empty if the cookie is not ours or is too old.
    """
    try:
        keys: dict[str, str] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_SECONDS
        )
    except signing.BadSignature:
        return {}
    return keys
