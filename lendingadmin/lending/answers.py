"""From what came over the wire to an answer, or to the error that it means."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from lendingadmin.lending.codec import decode
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    LendingError,
    ServiceFault,
    TimedOut,
    Unreachable,
    Unreadable,
    error_for_status,
    saved_after,
)
from lendingadmin.lending.operations import Operation
from lendingadmin.lending.wire import Fault, RawAnswer, WireFault

# Not shown by the spec; these are the names in use.
_REQUEST_ID_HEADERS = ("X-Request-Id", "X-Correlation-Id", "Request-Id")
_LONGEST_WORDS = 500
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]+")


Decoder = Callable[[bytes], object]


@dataclass(frozen=True, repr=False)
class Answer:
    """A 2xx that could be read.

    `json` is the body (None when it was empty; numbers int or Decimal) as far as it was asked for,
    `body` all of it as it came, `request_id` the service's reference if it sent one, `read_at` when
    the answer was read (aware, UTC), `is_kept` whether its connection had carried another request.
    """

    json: object
    body: bytes
    status: int
    request_id: str | None
    read_at: datetime
    is_kept: bool = False

    def __repr__(self) -> str:
        return f"<Answer {self.status}>"


Check = Callable[[Answer], object]


def accept(answer: Answer) -> None:
    """The check of an answer that is believed whatever it says."""


def answer_of(operation: Operation, raw: RawAnswer, read: Decoder = decode) -> Answer:
    """Read an accepted answer. Raises Unreadable when it is no JSON."""
    request_id = request_id_of(raw)
    try:
        json = read(raw.body) if raw.body.strip() else None
    except ValueError:
        # From None: the parser's own error quotes the body.
        raise Unreadable(
            operation=operation.name,
            status=raw.status,
            request_id=request_id,
            saved=saved_after(operation, raw.status),
        ) from None
    return Answer(json, raw.body, raw.status, request_id, datetime.now(UTC), raw.is_kept)


def refusal_of(operation: Operation, raw: RawAnswer) -> LendingError:
    """The error that an answer without 2xx means."""
    return error_for_status(
        operation,
        raw.status,
        error_description=error_description_of(raw),
        request_id=request_id_of(raw),
        retry_after=retry_after_of(raw),
    )


def error_of(operation: Operation, fault: WireFault) -> LendingError:
    """The error that a fault on the wire means."""
    if fault.fault is Fault.NOT_OPENED:
        return Unreachable(operation=operation.name)
    saved = saved_after(operation, fault.status)
    if fault.fault is Fault.TIMED_OUT:
        return TimedOut(operation=operation.name, status=fault.status, saved=saved)
    if fault.fault is Fault.BROKEN:
        return ServiceFault(
            "The connection to the lending service broke before its whole answer arrived.",
            operation=operation.name,
            status=fault.status,
            saved=saved,
        )
    kind = AnswerTooLarge if fault.fault is Fault.TOO_LARGE else Unreadable
    return kind(operation=operation.name, status=fault.status, saved=saved)


def error_description_of(raw: RawAnswer) -> str | None:
    """The service's own words, on one line and not endless; None when there are none."""
    try:
        return words_in(decode(raw.body))
    except ValueError:
        return None


def words_in(body: object) -> str | None:
    """The `error_description` of a body, which an accepted answer may carry too."""
    words = body.get("error_description") if isinstance(body, Mapping) else None
    if not isinstance(words, str):
        return None
    return _UNPRINTABLE.sub(" ", words).strip()[:_LONGEST_WORDS] or None


def request_id_of(raw: RawAnswer) -> str | None:
    """The service's reference for its answer, None when it sent none."""
    for name in _REQUEST_ID_HEADERS:
        if value := _UNPRINTABLE.sub("", raw.headers.get(name, "")).strip():
            return value[:200]
    return None


def retry_after_of(raw: RawAnswer) -> float | None:
    """`Retry-After` in seconds, from a number or a date; None when absent or odd."""
    text = raw.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d{1,9}", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
