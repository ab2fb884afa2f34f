"""Where people are signed in: the sessions in the database, with what each noted when it began."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from allauth.account.adapter import get_adapter
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.staff.models import User

_NOTE = "sign_in"
# The first that fits: Edge and Opera call themselves Chrome too, and Chrome calls itself Safari.
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


class SignedIn(NamedTuple):
    """One session: where and when it began, and when it ends by itself.

    What a session did not note is empty or None.
    """

    key: str
    began_at: datetime | None
    ends_at: datetime
    browser: str
    address: str


def note_sign_in(*, request: HttpRequest, **_signal: Any) -> None:
    """Keep in a session that begins when and from where it did; it goes with the session."""
    session = getattr(request, "session", None)
    if session is not None:
        known = "REMOTE_ADDR" in request.META
        session[_NOTE] = {
            "at": timezone.now().isoformat(),
            "address": get_adapter(request).get_client_ip(request) if known else "",
            "browser": describe_browser(request.META.get("HTTP_USER_AGENT", "")),
        }


def read_beginning(session: SessionBase) -> datetime | None:
    """When a session began: at the sign-in; None where it did not note that."""
    return parse_datetime(session.get(_NOTE, {}).get("at", ""))


def describe_browser(user_agent: str) -> str:
    """What a browser says of itself, in words: `Firefox on Windows`; empty for what is unknown."""
    browser, system = (
        next((name for name, pattern in names if re.search(pattern, user_agent)), "")
        for names in (_BROWSERS, _SYSTEMS)
    )
    if not (browser and system):
        return browser or system
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}


def list_sessions(person: User) -> list[SignedIn]:
    """The sessions in which a person is signed in, the newest first."""
    found = [_read(session, data) for session, data in _find(person)]
    return sorted(found, key=lambda one: one.ends_at, reverse=True)


def end_sessions(person: User, *, but: str | None = None) -> int:
    """Sign a person out everywhere, or everywhere but in one session; give how many ended."""
    keys = [session.session_key for session, _data in _find(person) if session.session_key != but]
    Session.objects.filter(session_key__in=keys).delete()
    return len(keys)


def describe_ended(count: int) -> str:
    """How many sessions ended, a sentence."""
    words = ngettext("%(count)s session ended.", "%(count)s sessions ended.", count)
    return words % {"count": count} if count else _("No session was open.")


def _find(person: User) -> Iterator[tuple[Session, dict[str, Any]]]:
    """A person's sessions. Whose one is stands inside it, so all that have not ended are read."""
    # One that began with another password is over at its next request.
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
