"""Access tokens: issued once, kept as hashes, so that they outlive a restart."""

import hashlib
import secrets
from datetime import datetime, timedelta

from lendingadmin.sandbox.models import Token


def issue(client_id: str, scope: str, now: datetime, seconds: int) -> tuple[str, datetime]:
    """A new token and the moment it expires; expired ones are cleared away."""
    token = secrets.token_urlsafe(32)
    expires_at = now + timedelta(seconds=seconds)
    Token.objects.filter(expires_at__lt=now - timedelta(days=1)).delete()
    Token.objects.create(
        digest=_digest(token), client_id=client_id, scope=scope, expires_at=expires_at
    )
    return token, expires_at


def find(token: str) -> Token | None:
    """The token, expired or not, or None."""
    return Token.objects.filter(digest=_digest(token)).first()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
