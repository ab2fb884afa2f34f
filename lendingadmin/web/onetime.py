"""One-use form tokens, and the drafts that forms of two steps keep under them.

Rendering a form mints a token; the write that it leads to is stored under the token, uniquely, so
that a double click or a form that is sent again lands on the first result. Minting stores nothing:
the token is signed and names its person and purpose.
"""

import json
import secrets
from datetime import timedelta

from django.core import signing
from django.utils import timezone

from lendingadmin.sealing import Unopened
from lendingadmin.web.requests import PersonRequest

from .models import Draft

_SALT = "lendingadmin.web.onetime"
LIFETIME = timedelta(hours=12)


class Stale(Exception):
    """The token is not ours, of another person or purpose, or older than LIFETIME."""


def mint(request: PersonRequest, purpose: str, nonce: str | None = None) -> str:
    """A token for one form of this person; `nonce` is that of a draft that is taken up again."""
    unique = nonce or secrets.token_urlsafe(16)
    return signing.dumps([unique, request.user.pk, purpose], salt=_SALT)


def check(request: PersonRequest, purpose: str, token: str) -> str:
    """Check a token that came back and return what makes it unique. Raises Stale."""
    try:
        nonce, person, minted_for = signing.loads(token, salt=_SALT, max_age=LIFETIME)
    except (signing.BadSignature, ValueError) as error:
        raise Stale("the form's token is not valid any more") from error
    if person != request.user.pk or minted_for != purpose:
        raise Stale("the form's token is of another person or form")
    return str(nonce)


def keep(request: PersonRequest, purpose: str, nonce: str, entered: dict[str, str]) -> None:
    """Keep what was entered, sealed, until the form's last step; entering again replaces it."""
    Draft.objects.update_or_create(
        token=nonce,
        person=request.user,
        purpose=purpose,
        defaults={"entered": json.dumps(entered)},
    )


def kept(request: PersonRequest, purpose: str, nonce: str) -> dict[str, str] | None:
    """What this person entered under the token; None when there is nothing, or no more."""
    if "\x00" in nonce:  # it comes out of an address, and PostgreSQL takes no NUL in text
        return None
    draft = Draft.objects.filter(token=nonce, person=request.user, purpose=purpose).first()
    return (
        None if draft is None or isinstance(draft.entered, Unopened) else json.loads(draft.entered)
    )


def discard(nonce: str) -> None:
    """Forget what was entered: the write that it was for has its own record now."""
    Draft.objects.filter(token=nonce).delete()


def tidy() -> None:
    """Forget what was entered in forms that were never finished."""
    Draft.objects.filter(created_at__lt=timezone.now() - LIFETIME).delete()
