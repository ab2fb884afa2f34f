"""What a call leaves behind for those who watch: facts, and what was said. No secrets."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lendingadmin.lending.answers import Answer, Check, Decoder
from lendingadmin.lending.codec import encode
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.lending.operations import Operation

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Call:
    """One call that is over.

    `path` has no query, since filters may be personal. `status` and `request_id` are those of the
    last answer, None when none came. `attempts` counts what went out or tried to; `faults` says
    what went wrong with each that did not succeed: a fault of the wire, or a status. `error` is the
    name of the error's class, None for a success. `may_have_saved` is true of a write that went out
    and was not refused. `url` is whole, `sent` the body that went out and `answer` the JSON that
    came back, unread (of a refusal the service's own words).
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
    # Personal: for people who may see calls, never for a log.
    url: str = field(default="", repr=False)
    sent: bytes | None = field(default=None, repr=False)
    answer: bytes | None = field(default=None, repr=False)


@dataclass(repr=False)
class PendingCall:
    """One call under way, over all its attempts."""

    operation: Operation
    path: str
    url: str
    body: bytes | None
    before_send: Callable[[], None] | None
    deadline: Deadline
    read: Decoder
    check: Check
    attempts: int = 0
    faults: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def call(self, *, answer: Answer | None = None, error: Exception | None = None) -> Call:
        """The facts, now that it is over."""
        told = answer if answer is not None else error
        outcome = told if isinstance(told, Answer | LendingError) else None
        return Call(
            operation=self.operation.name,
            method=self.operation.method,
            path=self.path,
            status=outcome.status if outcome else None,
            seconds=time.monotonic() - self.started,
            request_id=outcome.request_id if outcome else None,
            attempts=self.attempts,
            faults=tuple(self.faults),
            error=None if error is None else type(error).__name__,
            may_have_saved=self._may_have_saved(error),
            url=self.url,
            sent=self.body,
            answer=answer.body if answer is not None else _words(error),
        )

    def _may_have_saved(self, error: Exception | None) -> bool:
        if self.operation.saves_nothing or not self.attempts:
            return False
        return not isinstance(error, LendingError) or error.saved == Saved.UNKNOWN


def _words(error: Exception | None) -> bytes | None:
    words = error.error_description if isinstance(error, LendingError) else None
    return encode({"error_description": words}) if words else None


def report(call: Call, observer: Callable[[Call], None] | None) -> None:
    """Tell the observer. Its own failure is logged: it must not hide that money has moved."""
    if observer is None:
        return
    try:
        observer(call)
    except Exception:
        logger.exception("the observer of a lending call failed")
