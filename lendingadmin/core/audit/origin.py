"""Origin of an action: the address and browser of the current request, or the server command."""

import getpass
import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from lendingadmin.core.staff.models import User

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


class Origin(NamedTuple):
    """IP address of the client, as the trusted proxies give it, and User-Agent.

    Both may be empty.
    """

    address: str = ""
    browser: str = ""


class OriginMiddleware:
    """Middleware that saves the current request, for functions that get only the person."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(token)


def read_origin(actor: "HttpRequest | User | None") -> Origin:
    """Return the origin of a request.

    If `actor` is a person, return the origin of the current request. The origin is empty if there
    is no request, or if another person made the request.
    """
    if isinstance(actor, HttpRequest):
        request: HttpRequest | None = actor
    else:
        request = _request.get()
        # The first use of `request.user` needs a query, so it is used only if there is a person.
        if request and (actor is None or request.user.pk != actor.pk):
            request = None
    if request is None:
        return Origin()
    # allauth's models may not be imported while Django loads this package.
    from allauth.account.adapter import get_adapter

    try:
        address = get_adapter().get_client_ip(request)
    except (ImproperlyConfigured, PermissionDenied):
        # The request did not pass through the proxies. The entry must be written anyway.
        address = ""
    return Origin(address, request.headers.get("User-Agent", ""))


def describe_operator() -> str:
    """Return the operator of this command: “by amina”, with the account's name or number."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return _("by %(operator)s") % {"operator": name}
