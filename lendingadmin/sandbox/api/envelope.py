"""Rules for all requests: a request id for every answer, and a limit for every body."""

import re
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from lendingadmin.sandbox.api.errors import WORDS, answer

_DRAINED = 32_000_000  # bytes that are read and ignored, so that the client receives the 413
_PIECE = 64 * 1024
_EVENTS = re.compile(r"/v1/projects/[^/]+/apps/[^/]+/events")

Next = Callable[[HttpRequest], HttpResponse]


def envelope(following: Next) -> Next:
    """Return a middleware for X-Request-Id, errors as JSON, and the limit for bodies."""

    def call(request: HttpRequest) -> HttpResponse:
        response = _refuse(request) or following(request)
        if response.status_code >= 400 and response["Content-Type"] != "application/json":
            response = _as_json(response)
        response["X-Request-Id"] = uuid4().hex
        response["Cache-Control"] = "no-store"
        if not response.streaming:
            response["Content-Length"] = str(len(response.content))
        return response

    return call


def _refuse(request: HttpRequest) -> HttpResponse | None:
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        return answer(411, "Send the body with its Content-Length")
    length = request.META.get("CONTENT_LENGTH") or "0"
    limit = _find_limit(request)
    if not length.isdigit() or int(length) <= limit:
        return None
    left = min(int(length), _DRAINED)
    while left > 0 and (piece := request.read(min(_PIECE, left))):
        left -= len(piece)
    return answer(413, f"The body must have at most {limit} bytes")


def _find_limit(request: HttpRequest) -> int:
    if request.method == "POST" and _EVENTS.fullmatch(request.path):
        return int(settings.SANDBOX_EVENTS_LIMIT)
    return int(settings.SANDBOX_BODY_LIMIT)


def _as_json(response: HttpResponse) -> HttpResponse:
    """Return an answer of Django or ninja as one of our JSON errors.

    An example is the 405 for a method that a path does not allow.
    """
    word = WORDS.get(response.status_code, "error")
    mended = answer(response.status_code, word.replace("_", " ").capitalize())
    if "Allow" in response:
        mended["Allow"] = response["Allow"]
    return mended
