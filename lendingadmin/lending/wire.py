"""One request out, one whole answer back, or a fault that says how far it came."""

from __future__ import annotations

import http.client
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

import requests
import urllib3

from lendingadmin import __version__
from lendingadmin.lending.codec import decode
from lendingadmin.lending.errors import LendingError

from .connection import DIRECT, HttpExchange, Route, Session, TooLarge, use_exchange

_PIECE = 64 * 1024
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
# Not shown by the spec; these are the names in use.
_REQUEST_ID_HEADERS = ("X-Request-Id", "X-Correlation-Id", "Request-Id")
_LONGEST_DESCRIPTION = 500
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]+")


class Fault(StrEnum):
    """What happened on the wire; only NOT_OPENED and UNTRUSTED mean that nothing was sent.

    OUT_OF_STEP is an answer that may be the answer to another request.
    """

    NOT_OPENED = "not opened"
    UNTRUSTED = "untrusted"
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


@dataclass(repr=False)
class Answer:
    """What came back, whole. Header names compare without regard to case.

    `is_kept` is whether the connection had carried another request before, `read_at` when the
    answer came (aware, UTC). `json` is the body of an accepted answer: None when it was empty,
    numbers int or Decimal.
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
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def error_description(self) -> str | None:
        """The service's own words, on one line of 500 letters at most; None when there are none."""
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
        """The service's reference for its answer, None when it sent none."""
        for name in _REQUEST_ID_HEADERS:
            if value := _UNPRINTABLE.sub("", self.headers.get(name, "")).strip():
                return value[:200]
        return None

    @property
    def retry_after(self) -> float | None:
        """`Retry-After` in seconds, from a number or a date; None when absent or malformed."""
        text = self.headers.get("Retry-After", "").strip()
        if re.fullmatch(r"\d{1,9}", text):
            return float(text)
        moment = _read_date(text)
        return None if moment is None else max(0.0, (moment - datetime.now(UTC)).total_seconds())

    @property
    def clock_offset(self) -> float | None:
        """Seconds that our clock is ahead of `Date`; None when absent or malformed."""
        moment = _read_date(self.headers.get("Date", ""))
        return None if moment is None else (self.read_at - moment).total_seconds()


def _read_date(text: str) -> datetime | None:
    """The moment of a header's date; None for anything else."""
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
    """Send once and read the whole answer; without a session, over a connection of its own.

    `url` is whole and percent-encoded, and goes out exactly as it is. Raises WireFault, a
    LendingError from the exchange's hook (nothing was sent then), and what else the hook raises.
    """
    if exchange.deadline.has_passed:
        raise WireFault(Fault.NOT_OPENED)
    # A connection of its own is closed after its answer; this header says so.
    closing = {} if session else {"Connection": "close"}
    # The address is put in afterwards, because requests would fold and quote it.
    prepared = requests.Request(
        method, "http://x", _OUR_HEADERS | dict(headers) | closing, data=body
    ).prepare()
    prepared.url = url
    opened = nullcontext(session) if session else Session(route)
    with opened as used, use_exchange(exchange):
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
            # Once the first byte is out, any failure must count as "may have been saved".
            fault = _find_fault(error, exchange)
        else:
            return _read_answer(response, exchange)
    raise WireFault(fault)


def _read_answer(response: requests.Response, exchange: HttpExchange) -> Answer:
    answer = Answer(response.status_code, response.headers, b"", exchange.is_kept)
    fault = None
    try:
        answer.body = _read_body(response, exchange.max_bytes)
    except Exception as error:
        response.raw.close()
        fault = _find_fault(error, exchange)
    # What was not read to its end leaves bytes of its own behind.
    if exchange.is_ambiguous and fault is not Fault.TOO_LARGE:
        raise WireFault(Fault.OUT_OF_STEP)
    # A refusal is a refusal, even when the words that explain it got lost.
    if fault is not None and answer.is_accepted:
        raise WireFault(fault, answer.status)
    return answer


def _read_body(response: requests.Response, max_bytes: int) -> bytes:
    """The body, unpacked; counted here again, because little can unpack to much.

    One that announces more than it may have is not read at all.
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
    """The error and those inside it: requests and urllib3 keep them as arguments."""
    yield error
    for inner in (*error.args, getattr(error, "reason", None)):
        if isinstance(inner, BaseException):
            yield from _list_causes(inner)
