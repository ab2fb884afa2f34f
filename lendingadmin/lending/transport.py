"""How an operation reaches the service: with a token, within limits, and again only if it reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, urlencode

from lendingadmin.lending.answers import (
    Answer,
    Check,
    Decoder,
    accept,
    answer_of,
    error_of,
    refusal_of,
    retry_after_of,
)
from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import (
    LendingError,
    NotSent,
    Throttled,
    TokenRefused,
    WrongRecord,
)
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.issuer import AccessToken
from lendingadmin.lending.operations import Operation
from lendingadmin.lending.retry import pause_before_retry
from lendingadmin.lending.wire import Fault, RawAnswer, Request, WireFault, send

from .calls import Call, PendingCall, report
from .connection import HttpExchange, Session

__all__ = ["Answer", "Call", "ParallelReads", "Tokens", "Transport"]

MAX_BYTES = 32 * 1024 * 1024  # 1,000 loans with full contracts are about a third of it


class Tokens(Protocol):
    """Where tokens come from; `TokenSource` is one."""

    def get_token(self) -> AccessToken:
        """The token for the next call."""

    def drop(self, refused: str) -> bool:
        """This value was refused: whether a different one is worth a try."""


@dataclass(repr=False)
class ParallelReads:
    """What several parallel reads have in common: one token, one deadline, one place under way.

    Their calls are reported from the thread that holds it, because theirs must not touch the ORM.
    """

    token: AccessToken
    deadline: Deadline
    # Whether the deadline is that of each call too; otherwise none begins after it.
    cuts_off: bool = False
    calls: list[Call] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class _Failure:
    error: LendingError
    fault: Fault | None = None
    retry_after: float | None = None


class Transport(ForkSafe):
    """Sends operations to the service at `base_url`; safe to share between threads and over forks.

    connect_timeout, read_timeout   seconds for opening a connection, and for each wait for bytes
    deadline                        seconds for a whole call with all its tries
    max_bytes                       the largest body that is read, unpacked
    size                            calls under way at once; keep it below the server's threads, so
                                    that sign-in answers while the service hangs
    slot_wait                       seconds to wait for one of those places, counted from when one
                                    was last taken or given back: while the service hangs, callers
                                    must not wait their time one after the other
    backoff                         seconds before the second try of a read
    trust_env                       whether the environment's proxies and certificates count
    on_call                         told of every call once it is over, in the caller's thread
    """

    def __init__(
        self,
        base_url: str,
        tokens: Tokens,
        *,
        connect_timeout: float = 2.0,
        read_timeout: float = 10.0,
        deadline: float = 20.0,
        max_bytes: int = MAX_BYTES,
        size: int = 6,
        slot_wait: float = 1.0,
        backoff: float = 0.2,
        trust_env: bool = False,
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        self.tokens = tokens
        self._base_url = base_url.rstrip("/")
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._size = size
        self._slot_wait = slot_wait
        self._backoff = backoff
        self._trust_env = trust_env
        self._on_call = on_call
        super().__init__()

    def __repr__(self) -> str:
        return f"<Transport {self._base_url}>"

    def start_afresh(self) -> None:
        """A child of this process opens its own connections and counts its own calls."""
        self._mine = threading.local()
        self._slots = threading.BoundedSemaphore(self._size)
        self._slots_moved_at = time.monotonic()

    def call(
        self,
        operation: Operation,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object | None = None,
        before_send: Callable[[], None] | None = None,
        read: Decoder = decode,
        check: Check = accept,
    ) -> Answer:
        """Send one operation and give back its answer, or raise the LendingError that it came to.

        `path` is absolute under the base address and percent-encoded already; it goes out exactly
        as it is. A GET is tried up to three times. Anything else goes out at most once, over a
        connection of its own: `before_send` is called when that is open, immediately before the
        first byte. Whatever it raises (NotSent, by custom) passes through, and nothing was sent.
        TypeError and ValueError mean a body that JSON cannot carry; nothing was sent either. `read`
        makes JSON of what came, and `check` raises the LendingError that it comes to where it is
        not what was asked for; a connection that brought such a thing is given up.
        """
        talk = PendingCall(
            operation=operation,
            path=path,
            url=self._base_url + path + (f"?{_encoded(query)}" if query else ""),
            body=None if body is None else encode(body),
            before_send=before_send,
            deadline=Deadline(self._deadline),
            read=read,
            check=check,
        )
        joint: ParallelReads | None = getattr(self._mine, "joint", None)
        try:
            answer = self._within_joint(talk, joint) if joint else self._alone(talk)
        except Exception as error:
            if isinstance(error, LendingError) and not error.operation:
                error.operation = operation.name  # raised by a hook that does not know it
            self._report(talk.call(error=error), joint)
            raise
        self._report(talk.call(answer=answer), joint)
        return answer

    @contextmanager
    def joint(self, seconds: float | None = None) -> Iterator[ParallelReads]:
        """Take one place under way and one token, for several reads in other threads.

        After `seconds`, where they are given, reads that are still under way are cut off. Raises
        Throttled when there is no place, and what the token source raises.
        """
        with self.take_slot():
            deadline = Deadline(self._deadline if seconds is None else seconds)
            joint = ParallelReads(self.tokens.get_token(), deadline, cuts_off=seconds is not None)
            try:
                yield joint
            finally:
                for call in joint.calls:
                    report(call, self._on_call)

    @contextmanager
    def within(self, joint: ParallelReads) -> Iterator[None]:
        """This thread's calls belong to the joint until the end of the block."""
        self._mine.joint = joint
        try:
            yield
        finally:
            self._mine.joint = None

    def _report(self, call: Call, joint: ParallelReads | None) -> None:
        if joint is None:
            report(call, self._on_call)
        else:
            joint.calls.append(call)

    @contextmanager
    def take_slot(self) -> Iterator[None]:
        """Take one of the places under way for this block. Raises Throttled when there is none."""
        # Locals, because a fork puts a new semaphore in place.
        slots = self._slots
        wait = self._slots_moved_at + self._slot_wait - time.monotonic()
        if not (slots.acquire(timeout=wait) if wait > 0 else slots.acquire(blocking=False)):
            raise Throttled
        self._slots_moved_at = time.monotonic()
        try:
            yield
        finally:
            slots.release()
            self._slots_moved_at = time.monotonic()

    def _alone(self, talk: PendingCall) -> Answer:
        with self.take_slot():
            token = self.tokens.get_token()
            try:
                return self._converse(talk, token)
            except TokenRefused:
                another = self.tokens.drop(token.value)
                if not (another and talk.operation.is_read):
                    raise
            return self._converse(talk, self.tokens.get_token())

    def _within_joint(self, talk: PendingCall, joint: ParallelReads) -> Answer:
        if not talk.operation.saves_nothing:
            raise TypeError("only reads go out in parallel")
        if joint.deadline.passed:
            raise NotSent
        if joint.cuts_off:
            talk.deadline = joint.deadline
        return self._converse(talk, joint.token)

    def _converse(self, talk: PendingCall, token: AccessToken) -> Answer:
        tries = 0
        while True:
            tries += 1
            outcome = self._try(talk, token)
            if isinstance(outcome, Answer):
                return outcome
            wait = None
            if talk.operation.is_read:
                wait = pause_before_retry(
                    tries,
                    fault=outcome.fault,
                    status=outcome.error.status,
                    retry_after=outcome.retry_after,
                    backoff=self._backoff,
                )
            if wait is None or wait >= talk.deadline.left:
                raise outcome.error
            time.sleep(wait)

    def _try(self, talk: PendingCall, token: AccessToken) -> Answer | _Failure:
        talk.attempts += 1
        try:
            raw = self._send(talk, token)
        except WireFault as fault:
            talk.faults.append(fault.fault)
            return _Failure(error_of(talk.operation, fault), fault=fault.fault)
        if raw.accepted:
            try:
                answer = answer_of(talk.operation, raw, talk.read)
                talk.check(answer)
            except LendingError as error:
                return self._mistrust(talk, error)
            return answer
        talk.faults.append(str(raw.status))
        return _Failure(refusal_of(talk.operation, raw), retry_after=retry_after_of(raw))

    def _mistrust(self, talk: PendingCall, error: LendingError) -> _Failure:
        """An answer to something else may come from a connection that is out of step: leave it."""
        if talk.operation.is_read:
            self._session().close()
            self._mine.session = None
        if not isinstance(error, WrongRecord):
            return _Failure(error)
        talk.faults.append(Fault.OUT_OF_STEP)
        return _Failure(error, fault=Fault.OUT_OF_STEP)

    def _send(self, talk: PendingCall, token: AccessToken) -> RawAnswer:
        headers = {"Authorization": f"Bearer {token.value}"}
        if talk.body is not None:
            headers["Content-Type"] = "application/json"
        exchange = HttpExchange(
            talk.deadline,
            patience=self._read_timeout,
            max_bytes=self._max_bytes,
            before_send=talk.before_send,
        )
        return send(
            Request(talk.operation.method, talk.url, headers, talk.body),
            exchange,
            self._connect_timeout,
            self._session() if talk.operation.is_read else None,
            trust_env=self._trust_env,
        )

    def _session(self) -> Session:
        """This thread's own, made on first use."""
        session: Session | None = getattr(self._mine, "session", None)
        if session is None:
            session = self._mine.session = Session(trust_env=self._trust_env)
        return session


def _encoded(query: Mapping[str, str]) -> str:
    return urlencode(query, quote_via=quote, safe="")
