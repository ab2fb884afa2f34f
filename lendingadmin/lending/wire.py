"""One request out, one whole answer back, or a fault that says how far it came."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import requests
import urllib3

from lendingadmin.lending.errors import LendingError

from .connection import HttpExchange, Session, TooLarge, under_way

_PIECE = 64 * 1024
_OUR_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "User-Agent": "lendingadmin",
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


class Fault(StrEnum):
    """What happened on the wire; only NOT_OPENED means that nothing was sent.

    OUT_OF_STEP is an answer that may be the answer to another request.
    """

    NOT_OPENED = "not opened"
    BROKEN = "broken off"
    TIMED_OUT = "timed out"
    GARBLED = "garbled"
    TOO_LARGE = "too large"
    OUT_OF_STEP = "out of step"


class WireFault(Exception):
    """No whole answer. `status` is that of the answer which broke off, None when none had begun."""

    def __init__(self, fault: Fault, status: int | None = None) -> None:
        super().__init__(fault)
        self.fault = fault
        self.status = status


@dataclass(frozen=True, repr=False)
class Request:
    """What goes out. `url` is whole and percent-encoded, and goes out exactly as it is."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def prepared(self, *, close: bool) -> requests.PreparedRequest:
        """The same for requests, which must not fold or quote the address again.

        With `close` the service is asked to close the connection after its answer.
        """
        headers = _OUR_HEADERS | dict(self.headers) | ({"Connection": "close"} if close else {})
        prepared = requests.Request(self.method, "http://x", headers, data=self.body).prepare()
        prepared.url = self.url
        return prepared


@dataclass(frozen=True, repr=False)
class RawAnswer:
    """What came back, whole. Header names compare without regard to case.

    `is_kept` is whether the connection had carried another request before.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_kept: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300


def send(
    request: Request,
    exchange: HttpExchange,
    connect_timeout: float,
    session: Session | None = None,
    *,
    trust_env: bool = False,
) -> RawAnswer:
    """Send once and read the whole answer; without a session, over a fresh connection.

    Raises WireFault, a LendingError from the exchange's hook (nothing was sent then), and whatever
    else the hook raises.
    """
    if session is not None:
        return _send(request.prepared(close=False), exchange, connect_timeout, session)
    with Session(trust_env=trust_env) as fresh:
        return _send(request.prepared(close=True), exchange, connect_timeout, fresh)


def _send(
    prepared: requests.PreparedRequest,
    exchange: HttpExchange,
    connect_timeout: float,
    session: Session,
) -> RawAnswer:
    if exchange.deadline.passed:
        raise WireFault(Fault.NOT_OPENED)
    with under_way(exchange):
        try:
            response = _open(prepared, exchange, connect_timeout, session)
        except LendingError:
            raise
        except Exception as error:
            if not exchange.begun and not isinstance(error, _WIRE_ERRORS):
                raise
            # Once the first byte is out, whatever went wrong must count as "may have been saved".
            fault = _fault_of(error, exchange)
        else:
            return _whole(response, exchange)
    raise WireFault(fault)


def _open(
    prepared: requests.PreparedRequest,
    exchange: HttpExchange,
    connect_timeout: float,
    session: Session,
) -> requests.Response:
    timeout = (min(connect_timeout, exchange.may_wait()), exchange.may_wait())
    settings = session.merge_environment_settings(prepared.url or "", {}, True, None, None)
    return session.send(prepared, timeout=timeout, **settings)


def _whole(response: requests.Response, exchange: HttpExchange) -> RawAnswer:
    status = response.status_code
    fault = None
    body = b""
    try:
        body = b"".join(_pieces(response, exchange.max_bytes))
    except Exception as error:
        response.raw.close()
        fault = _fault_of(error, exchange)
    # What was not read to its end leaves bytes of its own behind.
    if exchange.is_ambiguous and fault is not Fault.TOO_LARGE:
        raise WireFault(Fault.OUT_OF_STEP)
    # A refusal is a refusal, even when the words that explain it got lost.
    if fault is not None and 200 <= status < 300:
        raise WireFault(fault, status)
    return RawAnswer(status, response.headers, body, exchange.is_kept)


def _pieces(response: requests.Response, max_bytes: int) -> Iterator[bytes]:
    """The body, unpacked; counted here again, because little can unpack to much.

    One that announces more than it may have is not read at all.
    """
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise TooLarge
    total = 0
    for piece in response.raw.stream(_PIECE, decode_content=True):
        total += len(piece)
        if total > max_bytes:
            raise TooLarge
        yield piece


def _fault_of(error: BaseException, exchange: HttpExchange) -> Fault:
    if not exchange.begun:
        return Fault.NOT_OPENED
    causes = tuple(_causes(error))
    if any(isinstance(cause, TooLarge) for cause in causes):
        return Fault.TOO_LARGE
    if exchange.deadline.passed or any(isinstance(cause, _TIMEOUTS) for cause in causes):
        return Fault.TIMED_OUT
    if any(isinstance(cause, ConnectionError) for cause in causes):
        return Fault.BROKEN
    if any(isinstance(cause, _GARBLED) for cause in causes):
        return Fault.GARBLED
    return Fault.BROKEN if isinstance(error, _WIRE_ERRORS) else Fault.GARBLED


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those inside it: requests and urllib3 keep them as arguments."""
    yield error
    for inner in (*error.args, getattr(error, "reason", None)):
        if isinstance(inner, BaseException):
            yield from _causes(inner)
