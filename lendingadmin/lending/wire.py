"""Function that sends one request and reads one complete answer, within time limits.

The time limits of HTTP libraries apply to each read of the socket. So a service that sends one byte
at a time could block a thread for ever. Our connections take the time limit from the current
`HttpExchange` before every read and write. They count the bytes that they read, and record if
anything was sent.

A connection is reused only if its last answer was read to the end and no further byte was received.
Otherwise a byte of one answer could be read as the answer to another request.
"""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from http import HTTPStatus
from http.client import BadStatusLine, HTTPResponse, parse_headers
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from lendingadmin import __version__
from lendingadmin.lending.codec import decode
from lendingadmin.lending.errors import LendingError, NotSent

_PIECE = 64 * 1024
# Most interim answers (1xx) to one request. A service that works until the deadline sends fewer.
_MOST_INTERIM = 100
_HTTP_1_1 = 11
_OUR_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "User-Agent": f"lendingadmin/{__version__}",
}
_WIRE_ERRORS = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
)
_TIMEOUTS = (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError)
_GARBLED = (
    urllib3.exceptions.DecodeError,
    urllib3.exceptions.InvalidHeader,
    http.client.BadStatusLine,
    http.client.LineTooLong,
)
# The spec does not show the name of this header, so common names are tried.
_REQUEST_ID_HEADERS = ("X-Request-Id", "X-Correlation-Id", "Request-Id")
_LONGEST_DESCRIPTION = 500
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]+")


class Deadline:
    """A point in time, `seconds` after this object is created."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that remain; 0 after the deadline."""
        return max(0.0, self._end - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """True if no time is left."""
        return self.left == 0.0


class TooLarge(Exception):
    """Error: more bytes were received than an answer may have."""


@dataclass(eq=False, repr=False)
class HttpExchange:
    """One request and its answer.

    `connect_timeout` limits the time to open a connection, and `read_timeout` each wait for bytes,
    in seconds. `deadline` limits the total time. `max_bytes` limits the bytes that may be read,
    compressed or not. `before_send` is called when the connection is open. `has_begun` becomes True
    immediately before the first byte of the request is written. While it is False, nothing was
    sent. `is_kept` is True if the connection was used for another request before. `is_ambiguous`
    becomes True if such a connection has more bytes than the answer, because the answer may then
    belong to another request.
    """

    deadline: Deadline
    connect_timeout: float
    read_timeout: float
    max_bytes: int
    before_send: Callable[[], None] | None = None
    has_begun: bool = field(default=False, init=False)
    is_kept: bool = field(default=False, init=False)
    is_ambiguous: bool = field(default=False, init=False)
    received: int = field(default=0, init=False)

    def begin(self, connection: _Bounded) -> None:
        """Call the hook and check the open connection, before the first byte is sent.

        Raise the errors of the hook, NotSent if the deadline has passed, and ConnectionError if the
        other side sent data or closed the connection before the request. After any of these errors,
        nothing is sent.
        """
        if self.before_send is not None:
            self.before_send()
        if self.deadline.has_passed:
            raise NotSent
        if not connection.is_connected:
            raise ConnectionError(
                "the other side sent data or closed the connection before the request"
            )
        self.is_kept, connection.has_carried = connection.has_carried, True
        self.has_begun = True

    def limit_wait(self) -> float:
        """Return the most seconds for the next wait. Raise TimeoutError if no time is left."""
        left = self.deadline.left
        if not left:
            raise TimeoutError("the deadline of the call has passed")
        return min(left, self.read_timeout)


# Current exchange of this context. Its connection takes the limits from here.
_current: ContextVar[HttpExchange] = ContextVar("lending_exchange")


class _BoundedReader(io.RawIOBase):
    """Reader of a socket that sets a time limit before every read, and counts the bytes.

    A read raises TooLarge if the exchange has received too many bytes.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, exchange: HttpExchange) -> None:
        self._raw = raw
        self._sock = sock
        self._exchange = exchange
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self.is_over:
            return None
        self._sock.settimeout(self._exchange.limit_wait())
        count = self._raw.readinto(buffer) or 0
        self._exchange.received += count
        # The bytes of headers and chunk sizes also count, so the limit is a little higher.
        if self._exchange.received > self._exchange.max_bytes + _PIECE:
            raise TooLarge
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResponse(HTTPResponse):
    """Final answer to a request (RFC 9110, 15.2). It closes the connection if necessary."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._sock = sock
        self._exchange = _current.get()
        self._reader = _BoundedReader(self.fp.detach(), sock, self._exchange)
        self.fp = io.BufferedReader(self._reader)

    def _read_status(self) -> tuple[str, int, str]:
        """Return the status line of the final answer. (http.client skips only a 100.)

        Raise BadStatusLine for a 101, because the protocol must not change, and for too many
        interim answers.
        """
        for _ in range(_MOST_INTERIM):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status == HTTPStatus.SWITCHING_PROTOCOLS:
                break
            if status >= HTTPStatus.OK:
                return version, status, reason
            parse_headers(self.fp)
        raise BadStatusLine("no final answer")

    def begin(self) -> None:
        """Read the headers; close the connection after an answer whose end is ambiguous.

        The end is clear if the answer has one length, or only chunks (RFC 9112, 6.3).
        """
        super().begin()
        lengths = set(self.headers.get_all("Content-Length", ()))
        codings = [coding.lower() for coding in self.headers.get_all("Transfer-Encoding", ())]
        if codings:
            has_plain_end = codings == ["chunked"] and not lengths and self.version == _HTTP_1_1
        else:
            is_written_plainly = all(one.isascii() and one.isdigit() for one in lengths)
            has_plain_end = len(lengths) <= 1 and is_written_plainly
        if not has_plain_end:
            self.will_close = True

    def _close_conn(self) -> None:
        """End the answer; close the connection if it has more bytes than the answer."""
        self._reader.is_over = True
        if self.fp.peek():
            self._exchange.is_ambiguous = self._exchange.is_kept
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)
        super()._close_conn()  # type: ignore[misc]


class _Bounded(HTTPConnection):
    response_class = _BoundedResponse
    # True if a request was sent on this open socket before.
    has_carried = False

    @property
    def is_connected(self) -> bool:
        """True if a request may be sent: the connection is open and has no unread byte.

        If there is a byte, the check reads it, and the connection can't be used any more. It is not
        enough to check that the socket is readable, because TLS sends its own bytes after the
        handshake.
        """
        if self.sock is None:
            return False
        try:
            self.sock.settimeout(0)
            self.sock.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            return False
        return False

    def endheaders(self, *args: Any, **kwargs: Any) -> None:
        # http.client would open the connection during the first write, but the hook must run
        # between the two.
        if self.sock is None:
            self.connect()
        _current.get().begin(self)
        super().endheaders(*args, **kwargs)

    def close(self) -> None:
        """Close the connection. If it is opened again, it is a new connection."""
        self.has_carried = False
        super().close()

    def send(self, data: Any) -> None:
        exchange = _current.get()
        view = memoryview(data)
        for start in range(0, len(view), _PIECE):
            self.sock.settimeout(exchange.limit_wait())
            super().send(view[start : start + _PIECE])


class _BoundedTLS(_Bounded, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Bounded


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _BoundedTLS


_POOLS = {"http": _Pool, "https": _TLSPool}


class _Adapter(HTTPAdapter):
    """Adapter that never repeats a request, and opens only connections with limits."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        # Connections to a proxy must also set `has_begun`. Otherwise a repayment that was sent
        # would count as not sent.
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager


@dataclass(frozen=True, repr=False)
class Route:
    """Route to other machines.

    `ca_file` has the certificates (PEM) to trust instead of the public certificates. `proxy` is the
    address of a proxy. Both may be empty. If `trust_env` is False, proxies, certificates and .netrc
    of the environment are ignored.
    """

    ca_file: str = ""
    proxy: str = ""
    trust_env: bool = False


DIRECT = Route()


class Session(requests.Session):
    """Session whose connections have limits.

    It makes no retries, follows no redirects, has no cookies.
    """

    def __init__(self, route: Route = DIRECT) -> None:
        super().__init__()
        self.trust_env = route.trust_env
        if route.ca_file:
            self.verify = route.ca_file
        if route.proxy:
            self.proxies = {"http": route.proxy, "https": route.proxy}
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def get_redirect_target(self, response: Any) -> None:
        """Return None for every answer, so that no redirect is followed.

        Otherwise the library would read the body of a redirect before it returns the answer.
        """


class Fault(StrEnum):
    """Faults of a connection; only NOT_OPENED and UNTRUSTED mean that nothing was sent.

    OUT_OF_STEP means that the answer may be the answer to another request.
    """

    NOT_OPENED = "not opened"
    UNTRUSTED = "untrusted"
    BROKEN = "broken off"
    TIMED_OUT = "timed out"
    GARBLED = "garbled"
    TOO_LARGE = "too large"
    OUT_OF_STEP = "out of step"


class WireFault(Exception):
    """Error: no complete answer was received. `status` is that of a partial answer, else None."""

    def __init__(self, fault: Fault, status: int | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.status = status


@dataclass(repr=False)
class Answer:
    """A complete answer. The names of headers ignore case.

    `is_kept` is True if the connection was used for another request before. `read_at` is the time
    of the answer (aware, UTC). `json` is the body of an accepted answer, with numbers as int or
    Decimal; None for an empty body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_kept: bool
    json: object = None
    read_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"<Answer {self.status}>"

    @property
    def is_accepted(self) -> bool:
        """True if the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def error_description(self) -> str | None:
        """Error text of the service, one line of at most 500 characters; None if there is none."""
        fields = self.json
        if fields is None:
            try:
                fields = decode(self.body)
            except ValueError:
                return None
        words = fields.get("error_description") if isinstance(fields, Mapping) else None
        if not isinstance(words, str):
            return None
        return _UNPRINTABLE.sub(" ", words).strip()[:_LONGEST_DESCRIPTION] or None

    @property
    def request_id(self) -> str | None:
        """Reference of the service for its answer; None if it sent no reference."""
        for name in _REQUEST_ID_HEADERS:
            if value := _UNPRINTABLE.sub("", self.headers.get(name, "")).strip():
                return value[:200]
        return None

    @property
    def retry_after(self) -> float | None:
        """`Retry-After` in seconds, from a number or a date; None if it is missing or malformed."""
        text = self.headers.get("Retry-After", "").strip()
        if re.fullmatch(r"\d{1,9}", text):
            return float(text)
        moment = _read_date(text)
        return None if moment is None else max(0.0, (moment - datetime.now(UTC)).total_seconds())

    @property
    def clock_offset(self) -> float | None:
        """Seconds by which our clock is ahead of `Date`; None if `Date` is missing or malformed."""
        moment = _read_date(self.headers.get("Date", ""))
        return None if moment is None else (self.read_at - moment).total_seconds()


def _read_date(text: str) -> datetime | None:
    """Return the time in a date header; None for any other text."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    exchange: HttpExchange,
    session: Session | None = None,
    *,
    route: Route = DIRECT,
) -> Answer:
    """Send a request once and read the complete answer. Without a session, use a new connection.

    `url` is complete and percent-encoded, and is sent unchanged. Raise WireFault for a fault. If
    the exchange's hook raises an error, nothing is sent.
    """
    if exchange.deadline.has_passed:
        raise WireFault(Fault.NOT_OPENED)
    # Without a session the connection is closed after the answer. This header announces it.
    closing = {} if session else {"Connection": "close"}
    # The address is set afterwards, because the library would change it.
    prepared = requests.Request(
        method, "http://x", _OUR_HEADERS | dict(headers) | closing, data=body
    ).prepare()
    prepared.url = url
    opened = nullcontext(session) if session else Session(route)
    with opened as used:
        before = _current.set(exchange)
        try:
            wait = exchange.limit_wait()
            timeout = min(exchange.connect_timeout, wait), wait
            settings = used.merge_environment_settings(url, {}, True, None, None)
            response = used.send(prepared, timeout=timeout, **settings)
        except LendingError:
            raise
        except Exception as error:
            if not exchange.has_begun and not isinstance(error, _WIRE_ERRORS):
                raise
            # After the first byte was written, any failure must count as "may have been saved".
            fault = _find_fault(error, exchange)
        else:
            return _read_answer(response, exchange)
        finally:
            _current.reset(before)
    raise WireFault(fault)


def _read_answer(response: requests.Response, exchange: HttpExchange) -> Answer:
    answer = Answer(response.status_code, response.headers, b"", exchange.is_kept)
    fault = None
    try:
        answer.body = _read_body(response, exchange.max_bytes)
    except Exception as error:
        response.raw.close()
        fault = _find_fault(error, exchange)
    # An answer that is too large is not read to its end, so the unread bytes belong to this answer.
    if exchange.is_ambiguous and fault is not Fault.TOO_LARGE:
        raise WireFault(Fault.OUT_OF_STEP)
    # The status of a refusal is used even if the body was not received.
    if fault is not None and answer.is_accepted:
        raise WireFault(fault, answer.status)
    return answer


def _read_body(response: requests.Response, max_bytes: int) -> bytes:
    """Return the body, unpacked.

    The unpacked bytes are counted again, because a small body can become large. A body that
    announces more bytes than allowed is not read.
    """
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise TooLarge
    pieces, total = [], 0
    for piece in response.raw.stream(_PIECE, decode_content=True):
        total += len(piece)
        if total > max_bytes:
            raise TooLarge
        pieces.append(piece)
    return b"".join(pieces)


def _find_fault(error: BaseException, exchange: HttpExchange) -> Fault:
    causes = tuple(_list_causes(error))
    if not exchange.has_begun:
        is_refused = any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes)
        return Fault.UNTRUSTED if is_refused else Fault.NOT_OPENED
    if any(isinstance(cause, TooLarge) for cause in causes):
        return Fault.TOO_LARGE
    if exchange.deadline.has_passed or any(isinstance(cause, _TIMEOUTS) for cause in causes):
        return Fault.TIMED_OUT
    if any(isinstance(cause, ConnectionError) for cause in causes):
        return Fault.BROKEN
    if any(isinstance(cause, _GARBLED) for cause in causes):
        return Fault.GARBLED
    return Fault.BROKEN if isinstance(error, _WIRE_ERRORS) else Fault.GARBLED


def _list_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its inner errors, which the libraries pass as arguments."""
    yield error
    for inner in (*error.args, getattr(error, "reason", None)):
        if isinstance(inner, BaseException):
            yield from _list_causes(inner)
