"""Transport of operations to the service: with a token, and within limits.

Only a read may be sent more than once.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    LendingError,
    NotSent,
    Saved,
    ServiceFault,
    Throttled,
    TimedOut,
    TokenRefused,
    Unreachable,
    Unreadable,
    Untrusted,
    WrongRecord,
    error_for_status,
    saved_after,
)
from lendingadmin.lending.errors import gettext_noop as _
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.operations import Operation
from lendingadmin.lending.tokens import AccessToken, TokenSource
from lendingadmin.lending.wire import (
    DIRECT,
    Answer,
    Deadline,
    Fault,
    HttpExchange,
    Route,
    Session,
    WireFault,
    send,
)

if TYPE_CHECKING:
    from .parallel import ParallelCalls


logger = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024  # about three times the size of 1,000 loans with full contracts

_BROKEN = _("The connection to the lending service broke before the answer was complete.")
_KINDS: dict[Fault, type[LendingError]] = {
    Fault.NOT_OPENED: Unreachable,
    Fault.UNTRUSTED: Untrusted,
    Fault.BROKEN: ServiceFault,
    Fault.TIMED_OUT: TimedOut,
    Fault.TOO_LARGE: AnswerTooLarge,
}
_TRIES = 3
_LONGEST_RETRY_AFTER = 2.0
_RETRIED_FAULTS = frozenset({Fault.NOT_OPENED, Fault.BROKEN, Fault.OUT_OF_STEP})
_RETRIED_STATUSES = frozenset({502, 503, 504})


@dataclass(frozen=True)
class Call:
    """A finished call.

    `path` is without the query, because filters may be personal. `status` and `request_id` are
    those of the last answer; None without an answer. The call began at `began` (time.monotonic) and
    took `seconds`. `attempts` is the number of requests that were sent or tried. `faults` has the
    fault of each failed attempt: a fault of the connection, or a status. `error` is the class name
    of the error; None for a success. `may_have_saved` is True for a write that was sent and not
    refused. `url` is complete, `sent` is the body of the request, and `answer` is the JSON text of
    the answer (for a refusal, the text of the service). `clock_offset` is from the last answer with
    a date.
    """

    operation: str
    method: str
    path: str
    status: int | None
    seconds: float
    request_id: str | None
    attempts: int
    faults: tuple[str, ...]
    error: str | None
    may_have_saved: bool = False
    began: float = 0.0
    clock_offset: float | None = None
    # These fields have personal data, for people who may see calls. They must not be logged.
    url: str = field(default="", repr=False)
    sent: bytes | None = field(default=None, repr=False)
    answer: bytes | None = field(default=None, repr=False)


@dataclass(repr=False)
class PendingCall:
    """A call that is not finished, with all its attempts. `answer` is the accepted answer."""

    operation: Operation
    path: str
    url: str
    body: bytes | None
    deadline: Deadline
    before_send: Callable[[], None] | None
    read: Callable[[bytes], object]
    parse: Callable[[Answer], Any]
    headers: Mapping[str, str]
    attempts: int = 0
    faults: list[str] = field(default_factory=list)
    answer: Answer | None = None
    clock_offset: float | None = None
    started: float = field(default_factory=time.monotonic)

    def finish(self, error: Exception | None = None) -> Call:
        """Return the facts of the finished call."""
        failure = error if isinstance(error, LendingError) else None
        outcome = failure or self.answer
        content = self.answer.body if self.answer else None
        if failure and failure.error_description:
            content = encode({"error_description": failure.error_description})
        is_refused = failure is not None and failure.saved == Saved.NO
        went_out = self.attempts > 0 and not self.operation.saves_nothing
        return Call(
            operation=self.operation.name,
            method=self.operation.method,
            path=self.path,
            status=outcome.status if outcome else None,
            seconds=time.monotonic() - self.started,
            request_id=outcome.request_id if outcome else None,
            attempts=self.attempts,
            faults=tuple(self.faults),
            error=type(error).__name__ if error else None,
            may_have_saved=went_out and not is_refused,
            began=self.started,
            clock_offset=self.clock_offset,
            url=self.url,
            sent=self.body,
            answer=content,
        )


@dataclass(eq=False, repr=False)
class Transport(ForkSafe):
    """Sender of operations to the service at `base_url`. Threads and forks may share it.

    connect_timeout, read_timeout   seconds for opening a connection, and for each wait for bytes
    deadline                        seconds for a call with all its tries
    max_bytes                       the largest body that is read, unpacked
    size                            most calls at the same time; set it below the server's threads,
                                    so that sign-in answers while the service hangs
    slot_wait                       seconds to wait for a place for a call, counted from when one
                                    was last taken or returned, so that callers do not wait one
                                    after the other while the service hangs
    backoff                         seconds before the second try of a read
    route                           certificates and proxy
    on_call                         called with every finished call, in the caller's thread
    build_headers                   returns further headers for each call, in the caller's thread
    """

    base_url: str
    tokens: TokenSource
    _: KW_ONLY
    connect_timeout: float = 2.0
    read_timeout: float = 10.0
    deadline: float = 20.0
    max_bytes: int = MAX_BYTES
    size: int = 6
    slot_wait: float = 1.0
    backoff: float = 0.2
    route: Route = DIRECT
    on_call: Callable[[Call], None] | None = None
    build_headers: Callable[[], Mapping[str, str]] = dict

    def __post_init__(self) -> None:
        super().__init__()

    def __repr__(self) -> str:
        return f"<Transport {self.base_url}>"

    def reset(self) -> None:
        """Start without connections and calls, because a child process opens its own."""
        self._mine = threading.local()
        self._slots = threading.BoundedSemaphore(self.size)
        self._slots_moved_at = time.monotonic()

    def call(
        self,
        operation: Operation,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
        before_send: Callable[[], None] | None = None,
        read: Callable[[bytes], object] = decode,
        parse: Callable[[Answer], Any] = lambda answer: answer,
    ) -> Any:
        """Send one operation and return its parsed answer. May raise LendingError.

        `path` is the path below the base address. It is already percent-encoded, and is sent
        exactly as given. A GET is tried up to three times. Any other request is sent at most once,
        over a new connection. `before_send` is called when the connection is open, immediately
        before the first byte. If it raises an error (usually NotSent), nothing is sent and the
        error is raised. For a body that JSON can't represent, nothing is sent, and TypeError or
        ValueError is raised. `read` reads the JSON of an accepted answer. `parse` raises a
        LendingError for an answer that does not fit the request; the connection is then closed.
        """
        encoded = "?" + urlencode(query, quote_via=quote, safe="") if query else ""
        joined: ParallelCalls | None = getattr(self._mine, "joined", None)
        pending = PendingCall(
            operation=operation,
            path=path,
            url=self.base_url.rstrip("/") + path + encoded,
            body=None if body is None else encode(body),
            deadline=Deadline(self.deadline),
            before_send=before_send,
            read=read,
            parse=parse,
            headers=self.build_headers() if joined is None else joined.headers,
        )
        report = self.report if joined is None else joined.calls.append
        try:
            parsed = self._call_in(joined, pending) if joined else self._call_alone(pending)
        except Exception as error:
            if isinstance(error, LendingError) and not error.operation:
                # The hook that raised this error does not know the operation.
                error.operation = operation.name
            report(pending.finish(error))
            raise
        report(pending.finish())
        return parsed

    @contextmanager
    def join(self, parallel: ParallelCalls) -> Iterator[None]:
        """Make the calls of this thread a part of these parallel calls, inside the block."""
        self._mine.joined = parallel
        try:
            yield
        finally:
            self._mine.joined = None

    @contextmanager
    def take_slot(self) -> Iterator[None]:
        """Take a slot for calls during this block.

        Raise Throttled if no slot is free within `slot_wait`.
        """
        # The semaphore has a local name, because a fork replaces the semaphore of this object.
        slots = self._slots
        wait = self._slots_moved_at + self.slot_wait - time.monotonic()
        if not (slots.acquire(timeout=wait) if wait > 0 else slots.acquire(blocking=False)):
            raise Throttled
        self._slots_moved_at = time.monotonic()
        try:
            yield
        finally:
            slots.release()
            self._slots_moved_at = time.monotonic()

    def report(self, call: Call) -> None:
        """Pass a finished call to `on_call`.

        An error of `on_call` is only logged, because it must not hide the result of a call that
        moved money.
        """
        if self.on_call is None:
            return
        try:
            self.on_call(call)
        except Exception:
            logger.exception("the observer of a lending call failed")

    def _call_alone(self, pending: PendingCall) -> Any:
        with self.take_slot():
            token = self.tokens.get_token()
            try:
                return self._send(pending, token)
            except TokenRefused:
                another = self.tokens.drop(token.value)
                if not (another and pending.operation.is_read):
                    raise
            return self._send(pending, self.tokens.get_token())

    def _call_in(self, parallel: ParallelCalls, pending: PendingCall) -> Any:
        if not (pending.operation.saves_nothing or parallel.may_write):
            raise TypeError("only reads are allowed here")
        if isinstance(parallel.token, LendingError):
            raise copy(parallel.token)
        if parallel.deadline.has_passed:
            raise NotSent
        if parallel.cuts_off:
            pending.deadline = parallel.deadline
        return self._send(pending, parallel.token)

    def _send(self, pending: PendingCall, token: AccessToken) -> Any:
        """Send the request. Send a read again if `pause_before_retry` allows this."""
        tries = 0
        while True:
            tries += 1
            pending.attempts += 1
            answer: Answer | None = None
            fault: Fault | None = None
            try:
                answer = self._exchange(pending, token)
                if (offset := answer.clock_offset) is not None:
                    pending.clock_offset = offset
                return self._parse(pending, answer)
            except WireFault as wire_fault:
                fault = wire_fault.fault
                error = _explain(pending.operation, wire_fault)
            except WrongRecord as wrong_record:
                fault, error = Fault.OUT_OF_STEP, wrong_record
            except LendingError as other:
                error = other
            if fault:
                pending.faults.append(fault)
            elif answer and not answer.is_accepted:
                pending.faults.append(str(answer.status))
            pause = None
            if pending.operation.is_read:
                pause = pause_before_retry(
                    tries,
                    fault=fault,
                    status=error.status,
                    retry_after=answer.retry_after if answer and not fault else None,
                    backoff=self.backoff,
                )
            if pause is None or pause >= pending.deadline.left:
                raise error
            time.sleep(pause)

    def _exchange(self, pending: PendingCall, token: AccessToken) -> Answer:
        """Send the request over this thread's session.

        A write gets a new connection.
        """
        headers = {"Authorization": f"Bearer {token.value}", **pending.headers}
        if pending.body is not None:
            headers["Content-Type"] = "application/json"
        session: Session | None = None
        if pending.operation.is_read:
            session = getattr(self._mine, "session", None)
            if session is None:
                session = self._mine.session = Session(self.route)
        exchange = HttpExchange(
            pending.deadline,
            connect_timeout=self.connect_timeout,
            read_timeout=self.read_timeout,
            max_bytes=self.max_bytes,
            before_send=pending.before_send,
        )
        return send(
            pending.operation.method,
            pending.url,
            headers,
            pending.body,
            exchange,
            session,
            route=self.route,
        )

    def _parse(self, pending: PendingCall, answer: Answer) -> Any:
        """Return the parsed answer. Raise the LendingError of an answer that is not accepted."""
        operation = pending.operation
        if not answer.is_accepted:
            raise error_for_status(
                operation,
                answer.status,
                error_description=answer.error_description,
                request_id=answer.request_id,
                retry_after=answer.retry_after,
            )
        try:
            try:
                answer.json = pending.read(answer.body) if answer.body.strip() else None
            except ValueError:
                # `from None`, because the parser's error contains a part of the body.
                raise Unreadable(
                    operation=operation.name,
                    status=answer.status,
                    request_id=answer.request_id,
                    saved=saved_after(operation, answer.status),
                ) from None
            parsed = pending.parse(answer)
        except LendingError:
            if operation.is_read:
                # This may be the answer to another request, so the connection must not be used
                # again.
                self._mine.session.close()
                self._mine.session = None
            raise
        pending.answer = answer
        return parsed


def _explain(operation: Operation, wire_fault: WireFault) -> LendingError:
    """Return the error for a fault of the connection."""
    fault, status = wire_fault.fault, wire_fault.status
    is_unsent = fault in (Fault.NOT_OPENED, Fault.UNTRUSTED)
    saved = Saved.NO if is_unsent else saved_after(operation, status)
    words = _BROKEN if fault is Fault.BROKEN else ""
    kind = _KINDS.get(fault, Unreadable)
    return kind(words, operation=operation.name, status=status, saved=saved)


def pause_before_retry(
    tries: int,
    *,
    fault: Fault | None,
    status: int | None,
    retry_after: float | None,
    backoff: float,
) -> float | None:
    """Return the pause in seconds before a failed read is repeated; None if it is not repeated.

    `tries` is the number of failed tries. A read is repeated if the connection did not open, broke
    or was out of step, and after 502, 503 and 504. A `Retry-After` of up to two seconds is the
    pause; if the service asks for more, the read is not repeated. Otherwise the pause begins at
    `backoff` seconds and doubles each time. Half of the pause is random, so that many readers do
    not repeat at the same time.
    """
    may_help = fault in _RETRIED_FAULTS or (fault is None and status in _RETRIED_STATUSES)
    if tries >= _TRIES or not may_help:
        return None
    if retry_after is not None:
        return retry_after if retry_after <= _LONGEST_RETRY_AFTER else None
    longest: float = backoff * 2 ** (tries - 1)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads load, protects no secret
