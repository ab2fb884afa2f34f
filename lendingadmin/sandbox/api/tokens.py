"""Token issuer (Spec: Token request). The database has hashes of the tokens."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest
from ninja import Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.access import SCOPES
from lendingadmin.sandbox.api.errors import Refusal
from lendingadmin.sandbox.models import Token
from lendingadmin.sandbox.rules.instants import to_millis
from lendingadmin.sandbox.schemas.answers import AccessToken

router = Router(tags=["token"])


@router.post("/v1/oauth2/token", summary="Issue an access token", response=AccessToken)
def issue_token(request: HttpRequest) -> AccessToken:
    """Issue a token for form-encoded client credentials; `expires_at` is in epoch seconds."""
    if request.content_type != "application/x-www-form-urlencoded":
        raise Refusal(415, "Content-Type must be application/x-www-form-urlencoded")
    form = request.POST
    if form.get("grant_type") != "client_credentials":
        raise Refusal(400, "grant_type must be client_credentials", "unsupported_grant_type")
    client = settings.SANDBOX_CLIENTS.get(form.get("client_id", ""))
    if client is None or not client.has_secret(form.get("client_secret", "")):
        raise Refusal(401, "The client id or the client secret is wrong", "invalid_client")
    asked = form.get("scope", "").split()
    if not asked or not set(asked) <= set(SCOPES):
        raise Refusal(400, f"scope must be of: {', '.join(SCOPES)}", "invalid_scope")
    scope = " ".join(dict.fromkeys(asked))
    now = clock.now()
    expires_at = now + timedelta(seconds=settings.SANDBOX_TOKEN_SECONDS)
    token = secrets.token_urlsafe(32)
    Token.objects.filter(expires_at__lt=now - timedelta(days=1)).delete()
    Token.objects.create(
        digest=_digest(token), client_id=client.client_id, scope=scope, expires_at=expires_at
    )
    return AccessToken(
        access_token=token,
        token_type="Bearer",  # noqa: S106 - not a secret
        expires_at=to_millis(expires_at) // 1000,
        scope=scope,
    )


def find_token(token: str) -> Token | None:
    """Return the token, also if it has expired; None if there is no such token."""
    return Token.objects.filter(digest=_digest(token)).first()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
