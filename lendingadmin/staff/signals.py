"""Writes to the audit trail what people do with their own accounts."""

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_out
from django.dispatch import Signal
from django.http import HttpRequest

from lendingadmin.audit import record
from lendingadmin.staff.models import User


def signed_in(*, user: User, **_: Any) -> None:
    """Somebody came in: all factors were right."""
    record(user, "sign-in", subject=user.username, outcome="done")


def signed_out(*, user: User | None, **_: Any) -> None:
    """Somebody left; a session that had already ended belongs to nobody and is not written down."""
    if user is not None:
        record(user, "sign-out", subject=user.username, outcome="done")


def factor_refused(*, request: HttpRequest, user: User, **_: Any) -> None:
    """The password was right and the second factor was not."""
    record(
        request, "sign-in", subject=user.username, outcome="refused", detail="wrong second factor"
    )


def password_changed(*, user: User, **_: Any) -> None:
    """Somebody changed their own password."""
    record(user, "password", subject=user.username, outcome="changed")


def factor_added(*, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Somebody set up a second factor."""
    record(user, "second factor", subject=user.username, outcome="added", detail=authenticator.type)


def factor_removed(*, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Somebody took a second factor away."""
    record(
        user, "second factor", subject=user.username, outcome="removed", detail=authenticator.type
    )


def connect() -> None:
    """Listen to allauth and to Django's sign-out."""
    listeners: dict[Any, Signal] = {
        signed_in: account.user_logged_in,
        signed_out: user_logged_out,
        factor_refused: mfa.authentication_failed,
        password_changed: account.password_changed,
        factor_added: mfa.authenticator_added,
        factor_removed: mfa.authenticator_removed,
    }
    for listener, signal in listeners.items():
        signal.connect(listener, dispatch_uid=f"staff.{listener.__name__}")
