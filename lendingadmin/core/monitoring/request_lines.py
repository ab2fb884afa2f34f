"""One line in the log for each request: the route, the result and the time spent.

A call to the lending service that takes longer than SLOW_CALL gets a separate line.

The line has no address, no id and no name: only the person's role.
"""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponseBase

from lendingadmin.lending.transport import Call

from . import metrics
from .request_ids import make_request_id, use_request_id

logger = logging.getLogger("lendingadmin.requests")
_calls_logger = logging.getLogger("lendingadmin.calls")

# Monitors request these pages every few seconds. Such requests are logged only if they fail.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


class Timings(NamedTuple):
    """Times of a request, in seconds. `own` is the time without waits for the lending service.

    The time of parallel calls counts once.
    """

    own: float
    queries: int
    in_queries: float
    calls: int
    in_calls: float

    def build_header(self) -> str:
        """Return these times as a `Server-Timing` header, in milliseconds."""
        return (
            f"own;dur={self.own * 1000:.1f}, "
            f'db;dur={self.in_queries * 1000:.1f};desc="{self.queries} queries", '
            f'service;dur={self.in_calls * 1000:.1f};desc="{self.calls} calls"'
        )


@dataclass
class QueryTimer:
    """Wrapper of the connection that counts the queries of a request and adds up their time."""

    count: int = 0
    seconds: float = 0.0

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.count += 1
            self.seconds += time.perf_counter() - began


class RequestLineMiddleware:
    """Middleware that gives a request an id, returns the id to the client, and logs the line.

    People who may see the calls of a page also get the times, in a header. For a streamed response,
    the line has only the time until the stream began.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        one, queries, began = make_request_id(request.headers), QueryTimer(), time.perf_counter()
        request.request_id = one.id  # type: ignore[attr-defined]
        with use_request_id(one):
            with connection.execute_wrapper(queries):
                response = self.get_response(request)
            whole, calls = time.perf_counter() - began, getattr(request, "calls_made", ())
            waited = sum_spans((call.began, call.began + call.seconds) for call in calls)
            own = max(whole - waited, 0.0)
            timings = Timings(own, queries.count, queries.seconds, len(calls), waited)
            _log(request, response, timings)
        response.headers["X-Request-ID"] = one.id
        if hasattr(request, "api_calls"):
            response.headers["Server-Timing"] = timings.build_header()
        return response


def note_call(call: Call) -> None:
    """Count a finished call with all its tries, as `ok` or by the name of its error.

    Log the call if it took longer than SLOW_CALL.
    """
    metrics.CALLS.labels(call.operation, call.error or "ok").inc()
    metrics.CALL_SECONDS.labels(call.operation).observe(call.seconds)
    if not settings.SLOW_CALL or call.seconds <= settings.SLOW_CALL.total_seconds():
        return
    facts = {
        "operation": call.operation,
        "outcome": call.error or "ok",
        "status": call.status or 0,
        "seconds": round(call.seconds, 1),
        "tries": call.attempts,
    }
    _calls_logger.warning(
        "slow call: %(operation)s %(outcome)s, status %(status)d, %(seconds).1f s, %(tries)d tries",
        facts,
        extra=facts,
    )


def sum_spans(spans: Iterable[tuple[float, float]]) -> float:
    """Return the time that is covered by at least one of these spans, in the unit of the spans."""
    total, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(end - max(begin, until), 0.0)
        until = max(until, end)
    return total


def _log(request: HttpRequest, response: HttpResponseBase, timings: Timings) -> None:
    match = request.resolver_match
    is_probe = request.path_info in PROBES
    route = f"/{match.route}" if match else request.path_info if is_probe else "-"
    method = request.method if request.method in metrics.METHODS else "other"
    metrics.REQUESTS.labels(method, route, str(response.status_code)).inc()
    metrics.OWN_SECONDS.labels(route).observe(timings.own)
    is_file = request.path_info.startswith(settings.STATIC_URL)
    if (is_probe or is_file) and response.status_code < HTTPStatus.BAD_REQUEST:
        return
    if getattr(response, "_has_been_logged", False) and is_probe:
        return  # the view of `/readyz` logs the faults, once
    # The role is known only if the request has read it, because the line must not cause a query.
    person = getattr(request, "_cached_user", None)
    role = person.role if person is not None and "held_roles" in vars(person) else "-"
    facts = {
        "method": request.method or "",
        "route": route,
        "status": response.status_code,
        "role": str(role),
        "own_ms": round(timings.own * 1000),
        "queries": timings.queries,
        "queries_ms": round(timings.in_queries * 1000),
        "calls": timings.calls,
        "calls_ms": round(timings.in_calls * 1000),
        "streamed": response.streaming,
    }
    logger.info(
        "%(method)s %(route)s %(status)d, own %(own_ms)d ms, sql %(queries)d in %(queries_ms)d ms, "
        "calls %(calls)d in %(calls_ms)d ms, %(role)s",
        facts,
        extra=facts,
    )
