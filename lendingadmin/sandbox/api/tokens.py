"""The token issuer (Spec: Token request)."""

from django.conf import settings
from django.http import HttpRequest
from ninja import Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.access import SCOPES
from lendingadmin.sandbox.api.errors import Refusal
from lendingadmin.sandbox.rules.instants import to_millis
from lendingadmin.sandbox.schemas.answers import AccessToken
from lendingadmin.sandbox.store import tokens

router = Router(tags=["token"])


@router.post("/v1/oauth2/token", summary="Issue an access token", response=AccessToken)
def issue(request: HttpRequest) -> AccessToken:
    """Client credentials, form-encoded; `expires_at` is in seconds since the epoch."""
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
    token, expires_at = tokens.issue(
        client.client_id, scope, clock.now(), settings.SANDBOX_TOKEN_SECONDS
    )
    return AccessToken(
        access_token=token,
        token_type="Bearer",  # noqa: S106 - not a secret
        expires_at=to_millis(expires_at) // 1000,
        scope=scope,
    )
