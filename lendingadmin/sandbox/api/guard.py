"""Authentication and authorisation (Spec: Authentication)."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest
from ninja import Router
from ninja.security import HttpBearer

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.access import NEEDS
from lendingadmin.sandbox.api.errors import Refusal
from lendingadmin.sandbox.api.tokens import find_token
from lendingadmin.sandbox.rules.ids import PROJECT, read_id
from lendingadmin.sandbox.rules.invalid import Invalid, NotFound

View = TypeVar("View", bound=Callable[..., Any])


class Bearer(HttpBearer):
    """Authentication of a request by its token.

    The token must have the scope that the operation needs, and the client must have the permission.
    """

    def __init__(self, operation: str) -> None:
        super().__init__()
        self.operation = operation
        self.need = NEEDS[operation]

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """Return the client's id.

        Raise Refusal: 401 for a wrong token, 403 for a missing scope or permission.
        """
        found = find_token(token)
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


def check_app(project_id: str, app_id: str) -> str:
    """Return the app id of a path. Every valid id is an app of the project.

    Raise NotFound for an invalid id or another project.
    """
    check_project(project_id)
    try:
        return read_id(app_id, "appId")
    except Invalid:
        raise NotFound(f"App {app_id}") from None


def check_project(project_id: str) -> None:
    """Raise NotFound if this is not the sandbox's only project."""
    if project_id != PROJECT:
        raise NotFound(f"Project {project_id}")


def post_method(
    router: Router, path: str, operation: str, response: Mapping[Any, Any]
) -> Callable[[View], View]:
    """Register a view as a custom operation, below a path as `:name` and as `/name`."""
    name, guard = operation.partition(".")[2], Bearer(operation)

    def register(view: View) -> View:
        for form in (f":{name}", f"/{name}"):  # ninja warns of an id that is used twice
            router.post(path + form, auth=guard, response=response, operation_id=form)(view)
        return view

    return register
