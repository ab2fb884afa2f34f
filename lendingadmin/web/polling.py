"""Polling of pages that wait for the service: when to send the next request, and when to stop."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

from .lists import whole_number

# Seconds before each request. The last number is for all further requests.
DELAYS = (1, 2, 4, 8, 15)
# Delays for progress that a person watches. With longer delays, nothing would seem to happen.
WATCHED = (1, 2)


class Poll(NamedTuple):
    """The state of a poll.

    `delay` is the pause in seconds before the next request; None if the polling has ended. `polls`
    is the number of requests so far. `elapsed` and `normal` are in seconds.
    """

    delay: int | None
    polls: int
    elapsed: int
    normal: int

    @property
    def overdue(self) -> bool:
        """True if the result takes longer than normal."""
        return self.elapsed > self.normal


def poll(
    request: HttpRequest,
    since: datetime,
    normal: timedelta,
    *,
    waiting: bool,
    delays: Sequence[int] = DELAYS,
) -> Poll:
    """Return the next step of polling for a result requested at `since`.

    `normal` is the usual time until the result. After this time, the page stops polling.
    """
    asked = request.GET.get("polls", "")
    polls = whole_number(asked) + 1 if asked else 0
    elapsed = timezone.now() - since
    goes_on = waiting and elapsed <= normal
    return Poll(
        delay=delays[min(polls, len(delays) - 1)] if goes_on else None,
        polls=polls,
        elapsed=max(0, int(elapsed.total_seconds())),
        normal=int(normal.total_seconds()),
    )
