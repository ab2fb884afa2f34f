"""Authentication and authorisation (Spec: Authentication)."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.security import HttpBearer

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.access import NEEDS
from lendingadmin.sandbox.api.errors import Refusal, not_found
from lendingadmin.sandbox.rules.ids import read_id
from lendingadmin.sandbox.store import tokens


class Bearer(HttpBearer):
    """Lets a request through whose token has a scope, and whose client the permission, it needs."""

    def __init__(self, operation: str) -> None:
        super().__init__()
        self.need = NEEDS[operation]

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """The client's id; raises Refusal: 401 for the token, 403 for scope or permission."""
        found = tokens.find(token)
        client = settings.SANDBOX_CLIENTS.get(found.client_id) if found else None
        if found is None or client is None:
            raise Refusal(401, "The access token is not known")
        if found.expires_at <= clock.now():
            raise Refusal(401, "The access token has expired")
        if not set(found.scope.split()) & set(self.need.scopes):
            raise Refusal(
                403,
                f"The token's scope {found.scope} is not enough: this operation needs one of "
                f"{', '.join(self.need.scopes)}",
                "insufficient_scope",
            )
        if self.need.permission not in client.permissions:
            raise Refusal(
                403,
                f"This operation needs the permission {self.need.permission}, which the client "
                "does not hold",
            )
        return found.client_id


def app_of(project_id: str, app_id: str) -> str:
    """The app of a path. Every app of the one project exists; raises Refusal 404 for others."""
    project(project_id)
    try:
        return read_id(app_id, "appId")
    except ValueError:
        raise not_found(f"App {app_id}") from None


def project(project_id: str) -> str:
    """The project of a path; raises Refusal 404 unless it is the one there is."""
    if project_id != settings.SANDBOX_PROJECT:
        raise not_found(f"Project {project_id}")
    return project_id
