"""Idempotency keys of forms, and the drafts that forms of two steps save under them.

A form has a signed token with its key, its person and its purpose. The write of the form is
stored under the key, uniquely, so that a double click or a form that is sent again leads to the
first result. Issuing a key stores nothing.
"""

import json
import secrets

from django.core import signing
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.encryption import Undecryptable
from lendingadmin.web.models import Draft
from lendingadmin.web.requests import PersonRequest

_SALT = "lendingadmin.money.writes.idempotency"
LIFETIME = Draft.KEPT_FOR
# The error message of a form whose key is stale.
TOO_LONG = _("This form was open for too long. Check the form and send it again.")


class StaleKey(Exception):
    """Error: the token is not ours, is for another person or purpose, or is older than LIFETIME."""


def issue_key(request: PersonRequest, purpose: str, idempotency_key: str | None = None) -> str:
    """Return a signed token for a form of this person; it has a new key, or the draft's key."""
    unique = idempotency_key or secrets.token_urlsafe(16)
    return signing.dumps([unique, request.user.pk, purpose], salt=_SALT)


def check_key(request: PersonRequest, purpose: str, token: str) -> str:
    """Return the idempotency key in a form's token; raise StaleKey for an invalid token."""
    try:
        idempotency_key, person, issued_for = signing.loads(token, salt=_SALT, max_age=LIFETIME)
    except (signing.BadSignature, ValueError) as error:
        raise StaleKey("the form's token is not valid any more") from error
    if person != request.user.pk or issued_for != purpose:
        raise StaleKey("the form's token is of another person or form")
    return str(idempotency_key)


def save_draft(
    request: PersonRequest, purpose: str, idempotency_key: str, entered: dict[str, str]
) -> None:
    """Save the entries of a form, encrypted, until the form's last step.

    Later entries replace earlier entries. Raise OverQuota if the person saves too much.
    """
    text = json.dumps(entered)
    Draft.check_room(request.user, idempotency_key, len(text))
    Draft.objects.update_or_create(
        token=idempotency_key,
        person=request.user,
        purpose=purpose,
        defaults={"entered": text, "size": len(text)},
    )


def load_draft(request: PersonRequest, purpose: str, idempotency_key: str) -> dict[str, str] | None:
    """Return the person's entries under this key; None if none can be opened."""
    if "\x00" in idempotency_key:  # the key is from an address, and PostgreSQL takes no NUL in text
        return None
    draft = Draft.objects.filter(
        token=idempotency_key, person=request.user, purpose=purpose
    ).first()
    return (
        None
        if draft is None or isinstance(draft.entered, Undecryptable)
        else json.loads(draft.entered)
    )


def delete_draft(idempotency_key: str) -> None:
    """Delete the draft of a form whose write has a record."""
    # Deleting a row by its key is one statement, which needs no transaction.
    Draft(token=idempotency_key).delete()
