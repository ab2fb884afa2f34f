"""Time that a test moves: the dashboard asks `django.utils.timezone.now` for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.utils import timezone


class Clock:
    """Goes like the real one, ahead by what it was moved."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self._now = timezone.now

    def now(self) -> datetime:
        return self._now() + self.ahead

    def move(self, **by: float) -> None:
        """Let so much time pass."""
        self.ahead += timedelta(**by)


@contextmanager
def moving_clock() -> Iterator[Clock]:
    """A clock that the dashboard goes by until the end of the block."""
    clock, real = Clock(), timezone.now
    timezone.now = clock.now
    try:
        yield clock
    finally:
        timezone.now = real
