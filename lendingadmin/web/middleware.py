"""Middleware for every request to the dashboard."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
)
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.preferences import read_zone
from lendingadmin.core.staff.roles import DEVELOPER
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound, Throttled
from lendingadmin.web.display.formats import use_zone

from . import errors

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class FramesMiddleware:
    """Middleware that makes calls faster. Its large frame makes Python store all frames together.

    Since version 3.11, CPython stores the frames of a thread in pieces of 16 kB. If a call does not
    fit into a piece, CPython requests another piece from the system and frees it after the call. If
    this happens in the loop of a template, each turn takes longer. The same page of fifty loans
    then takes 35 to 60 ms, depending only on the depth of the calls.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    # In values of 8 bytes, a little over 256 kB. The piece then has 512 kB, and the rest is more
    # than enough for the calls of a page.
    __call__.__code__ = __call__.__code__.replace(co_stacksize=33_000)


class LendingMiddleware:
    """Middleware that collects the calls of a view, and sets the zones and language of its page.

    The calls are in `calls_made`, and in `api_calls` for a person who may see them. Forms and
    templates of an app's pages use the zone of its lender. Times are written in the zone of the
    person, words in the person's language. A streamed answer is written later, in the lender's zone
    and in English, so that a CSV is the same for everyone. A fault of the service that the view
    does not catch becomes the error card.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with gateway.calls() as made, use_zone(lambda: read_zone(request.user)):
            request.calls_made = made  # type: ignore[attr-defined]
            # A probe has no session, and its response needs no database.
            is_known = settings.SESSION_COOKIE_NAME in request.COOKIES
            language = getattr(request.user, "language", "") if is_known else ""
            try:
                with translation.override(language or settings.LANGUAGE_CODE):
                    response = self.get_response(request)
            finally:
                timezone.deactivate()
            if not response.streaming:
                response.headers.setdefault("Content-Language", language or settings.LANGUAGE_CODE)
            return response

    def process_view(
        self, request: HttpRequest, view: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Give developers the page's calls, and set the zone of the app's lender."""
        if request.user.is_authenticated and request.user.has_perm(DEVELOPER):
            request.api_calls = request.calls_made  # type: ignore[attr-defined]
        if "app_id" in kwargs:
            timezone.activate(gateway.lending_app(kwargs["app_id"]).zone)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the error card for an error of the service, and None for any other error.

        Raise Http404 for an InvalidId.
        """
        if isinstance(exception, InvalidId):
            raise Http404(str(exception))
        if isinstance(exception, LendingError):
            return fault(request, exception)
        return None


def fault(request: HttpRequest, error: LendingError, *, further: str = "") -> HttpResponse:
    """Return a page, or for htmx a fragment, with only the error card.

    The fragment has status 200, because htmx inserts only a 2xx into the page. If a list was not
    read to its end, `further` is its address.
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


class SecurityHeadersMiddleware:
    """Middleware that adds headers against browser features which our pages never need.

    The headers also stop other sites from using our pages. A response without a cache time may not
    be stored, not even by the browser. Static files have the same headers and may be cached. A
    request in another encoding than UTF-8 gets a 400; browsers never send such a request.
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
        "Cache-Control": "no-store, private",
    }

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip("\"'").lower() in ("utf-8", "utf8", ""):
            response = self.get_response(request)
        else:
            response = HttpResponseBadRequest(content_type="text/plain")
        for name, value in self._HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class CompressionMiddleware(GZipMiddleware):
    """Middleware that compresses pages to a sixth of their size, except streamed responses.

    A page may have words from the address and personal data, so its compressed length could reveal
    data. It reveals little, because Django adds random bytes and masks tokens again each time.
    Another site can't repeat a person's request many times, because the browser does not send the
    session cookie (SameSite=Lax) with requests from other sites.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        return response if response.streaming else super().process_response(request, response)
