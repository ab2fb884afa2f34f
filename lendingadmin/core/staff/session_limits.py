"""How long a session lasts: half an hour without a person's doing, and SESSION_HOURS in all.

When a person last did something stands in a signed cookie beside the session's, so that opening a
page writes nothing to the database. What pages ask for by themselves is no person's doing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.audit import record
from lendingadmin.core.staff.session_store import hash_session_key
from lendingadmin.core.staff.sessions import read_beginning

IDLE = timedelta(minutes=30)
LONGEST = timedelta(seconds=settings.SESSION_COOKIE_AGE)
# Why a session ended, as the trail keeps it.
_IDLE, _OVER = "idle", "over"
# The cookie is written again when it is so old.
_RENEWED_AFTER = timedelta(minutes=1)
_COOKIE = "__Host-active" if settings.HTTPS else "active"


class SessionLimitsMiddleware:
    """Ends sessions that are over, and notes when a person does something."""

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
        if request.user.is_authenticated and not _is_poll(request):
            # The note is of one key: with a new one it is written again.
            is_same = request.session.session_key == key
            _note_activity(request, response, active_at if is_same else None)
        if not (is_stranger or request.user.is_authenticated):
            # Who signs out leaves nothing behind for the next person at this machine.
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
    """Why the session is over, as the trail keeps it; empty while it goes on."""
    began_at, now = read_beginning(request.session), timezone.now()
    if began_at is None or now - began_at > LONGEST:
        return _OVER
    return _IDLE if now - (active_at or began_at) > IDLE else ""


def _is_poll(request: HttpRequest) -> bool:
    """Whether a page asks by itself, while it waits."""
    return "polls" in request.GET and "HX-Request" in request.headers


def _read_activity(request: HttpRequest) -> datetime | None:
    """When this session's person last did something; None where the cookie does not say."""
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
    """What signs for this session alone."""
    return Signer(salt=f"active:{hash_session_key(request.session.session_key)}")
