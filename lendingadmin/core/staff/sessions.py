"""Sessions: storage, duration, and a list of the places where a person is signed in.

The database has a session under a hash of the session's key, so a copy of the database can't be
used to sign in. The session has the time, address and browser of the sign-in.

A session ends after half an hour without an action of the person, and after SESSION_HOURS. The time
of the last action is in a separate signed cookie, so that a request for a page writes nothing to
the database. Requests that pages make automatically are not actions.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.audit import record
from lendingadmin.core.staff.models import User

IDLE = timedelta(minutes=30)
LONGEST = timedelta(seconds=settings.SESSION_COOKIE_AGE)
# Reasons why a session ended, as the trail stores them.
_IDLE, _OVER = "idle", "over"
# The cookie is written again if it is older than this.
_RENEWED_AFTER = timedelta(minutes=1)
_COOKIE = "__Host-active" if settings.HTTPS else "active"
_NOTE = "sign_in"
# The first match counts, because Edge and Opera also name Chrome, and Chrome names Safari.
_BROWSERS = (
    ("Edge", "Edg"),
    ("Opera", "OPR/"),
    ("Firefox", "Firefox/|FxiOS/"),
    ("Chrome", "Chrome/|CriOS/"),
    ("Safari", "Safari/"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac", r"Mac\sOS\sX|Macintosh"),
    ("Linux", "Linux|X11"),
)


def hash_session_key(key: str | None) -> str:
    """Return the hash of a session's key, as the database stores it."""
    return blake2b((key or "").encode(), digest_size=20).hexdigest()


class SessionStore(DatabaseSessionStore):
    """Session store of Django, except that only the cookie has the key itself."""

    def exists(self, session_key: str) -> bool:
        """Return True if a session with this key exists."""
        return super().exists(hash_session_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Return the row to save, with the hash in place of the key."""
        row = super().create_model_instance(data)
        row.session_key = hash_session_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """End the session with this key; without a key, the current session."""
        if key := session_key or self.session_key:
            super().delete(hash_session_key(key))

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        rows = self.model.objects.filter(expire_date__gt=timezone.now())
        row = rows.filter(session_key=hash_session_key(self.session_key)).first()
        if row is None:
            self._session_key = None
        return row


class SessionLimitsMiddleware:
    """Middleware that ends expired sessions and saves the time of a person's last action."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        active_at = None
        if request.user.is_authenticated:
            active_at = _read_activity(request)
            if why := _find_end(request, active_at):
                _end(request, why)
        is_stranger, key = not request.user.is_authenticated, request.session.session_key
        response = self.get_response(request)
        # A page that waits polls automatically. A poll is not an action of the person.
        is_poll = "polls" in request.GET and "HX-Request" in request.headers
        if request.user.is_authenticated and not is_poll:
            # The signature of the cookie is for one session key, so a new key needs a new cookie.
            is_same = request.session.session_key == key
            _note_activity(request, response, active_at if is_same else None)
        if not (is_stranger or request.user.is_authenticated):
            # After a sign-out the browser deletes its stored data, because another person may use
            # the browser next.
            response.headers["Clear-Site-Data"] = '"storage"'
        return response


def _end(request: HttpRequest, why: str) -> None:
    record(request, "sign-out", subject=request.user.get_username(), outcome=why)
    request.session.flush()
    request.user = AnonymousUser()
    if why == _IDLE:
        words = _("You were signed out after half an hour without activity.")
    else:
        hours = settings.SESSION_HOURS
        words = ngettext(
            "You were signed out an hour after you signed in.",
            "You were signed out %(hours)d hours after you signed in.",
            hours,
        )
        words %= {"hours": hours}
    messages.info(request, words, extra_tags=f"signed-out-{why}")


def _find_end(request: HttpRequest, active_at: datetime | None) -> str:
    """Return why the session is over, as the trail stores it; empty if the session continues."""
    began_at = parse_datetime(request.session.get(_NOTE, {}).get("at", ""))
    now = timezone.now()
    if began_at is None or now - began_at > LONGEST:
        return _OVER
    return _IDLE if now - (active_at or began_at) > IDLE else ""


def _read_activity(request: HttpRequest) -> datetime | None:
    """Return the time of the person's last action; None if the cookie has no valid time."""
    try:
        value = _make_signer(request).unsign(request.COOKIES.get(_COOKIE, ""))
        return datetime.fromisoformat(value)
    except (BadSignature, ValueError):
        return None


def _note_activity(
    request: HttpRequest, response: HttpResponseBase, before: datetime | None
) -> None:
    now = timezone.now()
    if before and now - before < _RENEWED_AFTER:
        return
    response.set_cookie(
        _COOKIE,
        _make_signer(request).sign(now.isoformat()),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _make_signer(request: HttpRequest) -> Signer:
    """Return a signer for only this session."""
    return Signer(salt=f"active:{hash_session_key(request.session.session_key)}")


class SignedIn(NamedTuple):
    """A session: the place and time of the sign-in, and the time when the session ends.

    A field is empty or None if the session does not have the value.
    """

    key: str
    began_at: datetime | None
    ends_at: datetime
    browser: str
    address: str


def note_sign_in(*, request: HttpRequest, **_signal: Any) -> None:
    """Save the time, address and browser of a sign-in in the new session."""
    session = getattr(request, "session", None)
    if session is not None:
        known = "REMOTE_ADDR" in request.META
        session[_NOTE] = {
            "at": timezone.now().isoformat(),
            "address": get_adapter(request).get_client_ip(request) if known else "",
            "browser": describe_browser(request.META.get("HTTP_USER_AGENT", "")),
        }


def describe_browser(user_agent: str) -> str:
    """Return the name of a browser, `Firefox on Windows`, without unknown parts.

    The name comes from the User-Agent. The name of an unknown browser is empty.
    """
    browser, system = (
        next((name for name, pattern in names if re.search(pattern, user_agent)), "")
        for names in (_BROWSERS, _SYSTEMS)
    )
    if not (browser and system):
        return browser or system
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}


def list_sessions(person: User) -> list[SignedIn]:
    """Return a person's open sessions, the newest first."""
    found = [_read(session, data) for session, data in _find(person)]
    return sorted(found, key=lambda one: one.ends_at, reverse=True)


def end_sessions(person: User, *, but: str | None = None) -> int:
    """End a person's sessions, except the session with the hash `but`; return their number."""
    keys = [session.session_key for session, _data in _find(person) if session.session_key != but]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


def describe_ended(count: int) -> str:
    """Return a sentence with the number of sessions that ended."""
    words = ngettext("%(count)s session ended.", "%(count)s sessions ended.", count)
    return words % {"count": count} if count else _("No session was open.")


def _find(person: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    """Yield the sessions of a person, each with its data.

    All sessions that have not ended are read, because only the data of a session names the person.
    """
    # A session that began with an old password ends at its next request, so it is left out.
    hashes = {person.get_session_auth_hash(), *person.get_session_auth_fallback_hash()}
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = session.get_decoded()
        if data.get(SESSION_KEY) == str(person.pk) and data.get(HASH_SESSION_KEY) in hashes:
            yield session, data


def _read(session: Session, data: dict[str, Any]) -> SignedIn:
    note = data.get(_NOTE) or {}
    return SignedIn(
        session.session_key,
        parse_datetime(note.get("at", "")),
        session.expire_date,
        note.get("browser", ""),
        note.get("address", ""),
    )
