"""Requests of views with an access rule, and the addresses of their pages."""

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

    from lendingadmin.core.staff.models import User


class Utf8Request(WSGIRequest):
    """A request that is read as UTF-8, even if the sender names another encoding.

    Some encodings would break the reading of the address or form, or even the creation of this
    object.
    """

    encoding = property(lambda _self: "utf-8", lambda _self, _name: None)


class PersonRequest(HttpRequest):
    """A request of a signed-in person. The access rule refuses all other requests.

    `htmx` is true if a fragment is requested.
    """

    user: "User"
    htmx: "HtmxDetails"


def address_with(request: HttpRequest, changes: dict[str, str]) -> str:
    """Return this page's address with some parameters changed; empty parameters are left out.

    Use this in place of `{% querystring %}` if only Python knows the names of the parameters.
    """
    query = {name: value for name, value in (request.GET.dict() | changes).items() if value}
    return f"{request.path}?{urlencode(query)}" if query else request.path
