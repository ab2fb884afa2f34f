"""What is known of a call once it is over, for those who watch. No secrets."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lendingadmin.lending.codec import encode
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.lending.operations import Operation

from .wire import Answer


@dataclass(frozen=True)
class Call:
    """One call that is over.

    `path` has no query, since filters may be personal. `status` and `request_id` are those of the
    last answer, None when none came. It began at `began`, as time.monotonic has it, and took
    `seconds`. `attempts` counts what went out or tried to; `faults` says
    what went wrong with each that did not succeed: a fault of the wire, or a status. `error` is the
    name of the error's class, None for a success. `may_have_saved` is true of a write that went out
    and was not refused. `url` is whole, `sent` the body that went out and `answer` the JSON that
    came back, unread (of a refusal the service's own words). `clock_offset` is that of the last
    answer that had one.
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
    # Personal: for people who may see calls, never for a log.
    url: str = field(default="", repr=False)
    sent: bytes | None = field(default=None, repr=False)
    answer: bytes | None = field(default=None, repr=False)


@dataclass(repr=False)
class PendingCall:
    """One call under way, over all its attempts; `answer` is the one that was accepted."""

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
        """The facts, now that it is over."""
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
