"""Id of the current request or task. It comes from the client, and is logged and sent on."""

import logging
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})")
_UNTRACED = "0" * 32


class RequestId(NamedTuple):
    """Id of a request: `id` is for people, `trace_id` and `flags` are for the service.

    The service gets `trace_id` and `flags` in the header `traceparent`.
    """

    id: str
    trace_id: str
    flags: str = "00"


_current: ContextVar[RequestId | None] = ContextVar("request_id", default=None)


def make_request_id(headers: Mapping[str, str] | None = None) -> RequestId:
    """Return the id of a request with these headers, or a new id.

    An id that is not valid is ignored.
    """
    headers = headers or {}
    match = _TRACEPARENT.fullmatch(headers.get("traceparent", ""))
    trace_id, flags = match.groups() if match else (_UNTRACED, "00")
    if trace_id == _UNTRACED:
        trace_id = secrets.token_hex(16)
    given = headers.get("X-Request-ID", "")
    return RequestId(given if _ID.fullmatch(given) else trace_id, trace_id, flags)


@contextmanager
def use_request_id(one: RequestId) -> Iterator[None]:
    """Use this id for everything that is logged and called inside the block."""
    before = _current.set(one)
    try:
        yield
    finally:
        _current.reset(before)


def find_request_id() -> str:
    """Return the id of the current request or task; empty if there is none."""
    one = _current.get()
    return one.id if one else ""


def build_headers() -> dict[str, str]:
    """Return the headers that send the id to the service; empty outside a request or task."""
    one = _current.get()
    if one is None:
        return {}
    parent = f"00-{one.trace_id}-{secrets.token_hex(8)}-{one.flags}"
    return {"X-Request-ID": one.id, "traceparent": parent}


class RequestIdFilter(logging.Filter):
    """Filter that adds the current `request_id` to each record of the log; `-` if there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the request's id to the record; return True for every record."""
        # Django logs a 404 after the middleware has finished. The request still has the id.
        asked = getattr(getattr(record, "request", None), "request_id", "")
        record.request_id = find_request_id() or asked or "-"
        return True
