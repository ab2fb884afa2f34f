"""What a view behind the access rule is given."""

from typing import TYPE_CHECKING

from django.http import HttpRequest

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

    from lendingadmin.staff.models import User


class PersonRequest(HttpRequest):
    """A request whose person is known: the access rule lets nobody else through.

    `htmx` is true where a fragment is asked for.
    """

    user: "User"
    htmx: "HtmxDetails"
