"""Notices to people about changes that others made to their accounts, by mail and at sign-in."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from lendingadmin.core.audit.messages import describe_action
from lendingadmin.core.audit.models import Entry

from .models import User

# Actions of the trail for changes that a manager makes.
_CHANGES = (
    *("people", "people.password", "people.secondFactor"),
    *("people.sessions", "people.setupLink"),
)
# After a long time without a sign-in, a person sees only this number of changes, the newest.
_MOST = 5


def list_changes(person: User) -> list[Entry]:
    """Return the changes that others made since the person last signed in, the oldest first.

    At most the newest _MOST are returned, and none at the first sign-in.
    """
    about = Entry.objects.filter(subject=person.username)
    last = about.filter(action="sign-in", outcome="done").order_by("-at", "-id").first()
    if last is None:
        return []
    changes = about.filter(action__in=_CHANGES, at__gt=last.at).exclude(user=person)
    return list(changes.order_by("-at", "-id")[:_MOST])[::-1]


def describe_change(entry: Entry) -> str:
    """Return the change in words: “manager: Changed a person's account (roles (+officer))”."""
    detail = f" ({entry.detail})" if entry.detail else ""
    return f"{entry.username}: {describe_action(entry)}{detail}"


def show_changes(*, request: HttpRequest, user: User, **_signal: Any) -> None:
    """Add a message for each change to the account since the person's last sign-in."""
    for entry in list_changes(user) if hasattr(request, "_messages") else ():
        words = _(
            "Your account was changed since you last signed in. %(change)s. If you did not "
            "expect this change, ask another manager."
        )
        words %= {"change": describe_change(entry)}
        messages.warning(request, words, extra_tags="account-changed")
