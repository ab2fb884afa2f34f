"""What every request to the dashboard goes through."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
)
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.preferences import read_zone
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound, Throttled
from lendingadmin.web.display.formats import use_zone

from . import errors

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class LendingErrorMiddleware:
    """Shows the error card for any fault of the service that a view let pass."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, InvalidId):
            raise Http404(str(exception))
        if isinstance(exception, LendingError):
            return fault(request, exception)
        return None


def fault(request: HttpRequest, error: LendingError, *, further: str = "") -> HttpResponse:
    """A page, or for htmx a fragment, that is nothing but the error card.

    htmx puts only a 2xx into the page, so the fragment is a 200. `further` is the address of a list
    that was not read to its end.
    """
    card = errors.card(error)
    if further:
        card = replace(card, links=((_("Search further"), further),))
    context: dict[str, object] = {"card": card}
    if getattr(request, "htmx", False):
        return render(request, "_error_card.html", context)
    is_gone = isinstance(error, NotFound)
    context["worth_repeating"] = not is_gone
    context["heading"] = _("Not found") if is_gone else _("This page can't be shown now")
    page = render(request, "fault.html", context, status=errors.status(error))
    if isinstance(error, Throttled):
        page.headers["Retry-After"] = str(error.retry_after)
    return page


class LenderZoneMiddleware:
    """Lets forms and templates speak the zone of the app's lender on that app's pages."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()

    def process_view(
        self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if "app_id" in kwargs:
            timezone.activate(gateway.lending_app(kwargs["app_id"]).zone)


class PersonZoneMiddleware:
    """Writes moments of a page in the zone of the person who asks.

    A streamed answer is written later, in the lender's zone: a CSV is the same for everybody.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with use_zone(lambda: read_zone(request.user)):
            return self.get_response(request)


class SecurityHeadersMiddleware:
    """Tells browsers what no page of ours asks for, and that no other site may use what is ours.

    Static files bear the same.
    """

    _HEADERS = {
        "Permissions-Policy": ", ".join(
            f"{name}=()"
            for name in (
                *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope"),
                *("magnetometer", "microphone", "midi", "payment", "serial", "usb"),
            )
        ),
        "Cross-Origin-Resource-Policy": "same-origin",
    }

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for name, value in self._HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class CharsetMiddleware:
    """Answers 400 where a request says that it is in another encoding than UTF-8.

    No browser says so.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip("\"'").lower() in ("utf-8", "utf8", ""):
            return self.get_response(request)
        return HttpResponseBadRequest(content_type="text/plain")


class CompressionMiddleware(GZipMiddleware):
    """Pages travel compressed, to a sixth of their size; what is streamed goes out as it is made.

    A page holds words from its address beside personal data. Their lengths tell little: Django
    adds bytes at random, tokens are masked again each time, and the session cookie (SameSite=Lax)
    goes along with nothing that another site could have a browser fetch over and over.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        return response if response.streaming else super().process_response(request, response)


class NoStoreMiddleware:
    """Keeps pages with personal data out of every cache, the browser's included."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store, private"
        return response
