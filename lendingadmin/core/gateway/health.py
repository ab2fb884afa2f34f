"""State of the service, from the calls of this process.

The state has two parts: the time at which the service stopped answering, and the offset between
the clocks.
"""

import threading
from datetime import datetime, timedelta

from django.utils import timezone

from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.transport import Call

# An older failure does not count, because no call was made since then, and the service may answer
# again.
_SAID_FOR = timedelta(minutes=5)
_WITHOUT_ANSWER = frozenset({"Unreachable", "Untrusted", "TimedOut"})
_NOBODY_BEHIND = frozenset({502, 503, 504})
# Seconds. Forms suggest the time of our clock, so a larger offset must be shown.
_TOO_MUCH = 5 * 60

_newest_offset = 0.0


class _Silence(ForkSafe):
    """Times of the first and the newest unanswered call; None if the service answers."""

    def reset(self) -> None:
        """Start without a saved time, because a forked child makes its own calls."""
        self.lock = threading.Lock()
        self.began_at: datetime | None = None
        self.seen_at: datetime | None = None

    def note(self, *, is_answered: bool) -> None:
        """Save the time of an unanswered call; end the silence after an answered call."""
        with self.lock:
            self.seen_at = None if is_answered else timezone.now()
            self.began_at = None if is_answered else self.began_at or self.seen_at


_silence = _Silence()


def is_outage(error: str | None, status: int | None) -> bool:
    """Return True if this error or status shows that the service itself did not answer."""
    return error in _WITHOUT_ANSWER or status in _NOBODY_BEHIND


def note_call(call: Call) -> None:
    """Update the state of the service from a finished call.

    A call that was never sent does not count. An answer that has no date does not change the
    clock's offset.
    """
    global _newest_offset
    if is_outage(call.error, call.status):
        _silence.note(is_answered=False)
    elif call.status is not None:
        _silence.note(is_answered=True)
    if call.clock_offset is not None:
        _newest_offset = call.clock_offset


def find_silence() -> datetime | None:
    """Return the time when the service stopped answering.

    Return None if the service answers, or if there was no recent call.
    """
    with _silence.lock:
        seen_at, began_at = _silence.seen_at, _silence.began_at
    return began_at if seen_at and timezone.now() - seen_at <= _SAID_FOR else None


def find_clock_offset() -> float:
    """Return the seconds by which our clock is ahead of the service's clock; negative if behind.

    The result is 0 if the difference is five minutes or less.
    """
    offset = _newest_offset
    return offset if abs(offset) > _TOO_MUCH else 0.0


def describe_offset() -> str:
    """Return the warning about the clock for monitors; empty if the clocks agree."""
    if not (offset := find_clock_offset()):
        return ""
    return f"the clock of this host is {offset:+.0f} seconds off that of the lending service"
