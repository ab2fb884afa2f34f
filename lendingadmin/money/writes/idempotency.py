"""Idempotency keys of forms, and the drafts that forms of two steps save under them.

A form has a signed token with its key, its person and its purpose. The write of the form is stored
under this unique key, so a double click, or a form that is sent again, leads to the first result.
To issue a key, nothing is stored.
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
    """Error: the token is not signed by us, is for another person or purpose, or is too old."""


def issue_key(request: PersonRequest, purpose: str, idempotency_key: str | None = None) -> str:
    """Return a signed token for a form of this person, with a new key or the key of a draft."""
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
    """Return the entries that this person saved under this key; None if there are none."""
    if "\x00" in idempotency_key:  # an address may have a NUL, which PostgreSQL refuses
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
    # A deletion by key is one statement and needs no transaction.
    Draft(token=idempotency_key).delete()
