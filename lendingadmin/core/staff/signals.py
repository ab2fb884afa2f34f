"""Functions that record sign-ins, and changes that people make to their own accounts."""

from functools import partial
from typing import Any

from allauth.account import signals as account
from allauth.account.authentication import get_authentication_records
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest
from django.utils.translation import gettext as _

from lendingadmin.core.audit import record
from lendingadmin.core.staff import known_browsers
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.notices import show_changes
from lendingadmin.core.staff.sessions import end_sessions, hash_session_key, note_sign_in
from lendingadmin.core.staff.two_step import begin_grace, end_grace


def record_sign_in(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Record a sign-in and its methods: “password, totp”."""
    found = get_authentication_records(request, user)
    names = (one.get("type") or one["method"] for one in found)
    record(request, "sign-in", subject=user.username, outcome="done", detail=", ".join(names))


def record_account(
    action: str,
    outcome: str,
    *,
    user: User | None,
    authenticator: Authenticator | None = None,
    **_signal: Any,
) -> None:
    """Record a person's action. Nothing is recorded if the session had already ended."""
    if user is not None:
        factor = authenticator.type if authenticator else ""
        record(user, action, subject=user.username, outcome=outcome, detail=factor)


def record_refused_factor(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Record that the password was right and the second factor was wrong."""
    record(
        request,
        "sign-in",
        subject=user.username,
        outcome="refused",
        detail=_("wrong second factor"),
    )


def end_other_sessions(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """End a person's other sessions, because these began with the old factors.

    Django also does this when a password changes.
    """
    end_sessions(user, but=hash_session_key(request.session.session_key))


def cycle_session_key(
    *, request: HttpRequest, reauthenticated: bool = False, **_signal: Any
) -> None:
    """Change the session key after a confirmation.

    A key that was stolen before the confirmation is then useless.
    """
    if reauthenticated:
        request.session.cycle_key()


def connect_all() -> None:
    """Connect these functions to the signals of allauth and of Django."""
    user_logged_in.connect(note_sign_in, dispatch_uid="staff.note_sign_in")
    user_logged_in.connect(show_changes, dispatch_uid="staff.show_changes")
    user_logged_in.connect(begin_grace, dispatch_uid="staff.begin_grace")
    account.user_logged_in.connect(record_sign_in, dispatch_uid="staff.record_sign_in")
    account.user_logged_in.connect(known_browsers.remember, dispatch_uid="staff.remember")
    mfa.authentication_failed.connect(
        record_refused_factor, dispatch_uid="staff.record_refused_factor"
    )
    account.authentication_step_completed.connect(
        cycle_session_key, dispatch_uid="staff.cycle_session_key"
    )
    mfa.authenticator_removed.connect(end_grace, dispatch_uid="staff.end_grace")
    for changed in (mfa.authenticator_added, mfa.authenticator_removed):
        changed.connect(end_other_sessions, dispatch_uid="staff.end_other_sessions")
    for signal, action, outcome in (
        (user_logged_out, "sign-out", "done"),
        (account.password_changed, "password", "changed"),
        (mfa.authenticator_added, "second factor", "added"),
        (mfa.authenticator_removed, "second factor", "removed"),
    ):
        listener = partial(record_account, action, outcome)
        signal.connect(listener, weak=False, dispatch_uid=f"staff.{action}.{outcome}")
