"""“Show the API call”: what a page asked of the service, for those with the right to see it."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass

import simplejson
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lendingadmin import gateway
from lendingadmin.lending.calls import Call
from lendingadmin.lending.codec import decode

from .masking import MASK, masked

PERMISSION = "dashboard.apiCalls.view"


@dataclass(frozen=True)
class Shown:
    """One call as `_calls.html` draws it; `curl` repeats it, with a token of one's own."""

    operation: str
    method: str
    path: str
    status: str
    milliseconds: int
    request_id: str
    curl: str
    answer: str


class ApiCallsMiddleware:
    """Collects the calls of a request: `calls_made`, and `api_calls` if its person may see them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with gateway.calls() as made:
            request.calls_made = made  # type: ignore[attr-defined]
            if request.user.is_authenticated and request.user.has_perm(PERMISSION):
                request.api_calls = made  # type: ignore[attr-defined]
            return self.get_response(request)


def shown(calls: list[Call]) -> list[Shown]:
    """The calls so far, masked."""
    return [_shown(call) for call in calls]


def _shown(call: Call) -> Shown:
    return Shown(
        operation=call.operation,
        method=call.method,
        path=call.path,
        status=str(call.status or call.error or "no answer"),
        milliseconds=round(call.seconds * 1000),
        request_id=call.request_id or "",
        curl=_curl(call),
        answer=_pretty(call, call.answer) if call.answer else "",
    )


def _curl(call: Call) -> str:
    words = ["curl", "-X", call.method, call.url, "-H", f"Authorization: Bearer {MASK}"]
    if call.sent:
        words += ["-H", "Content-Type: application/json", "-d", _pretty(call, call.sent)]
    return shlex.join(words)


def _pretty(call: Call, body: bytes) -> str:
    # What comes of an event speaks of what the event holds.
    also = {"result"} if call.operation.startswith("events.") else ()
    return simplejson.dumps(
        masked(decode(body), also), use_decimal=True, ensure_ascii=False, indent=2
    )
