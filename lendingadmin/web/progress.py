"""How far an export is, told to the page that it was started from.

The browser saves the stream as a file by itself, so the page asks beside it. What is kept is a
count, for an hour, under a token of that page and the person's own number.
"""

import re
import secrets
import time
from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from django.core.cache import cache
from django.utils import timezone

from .requests import PersonRequest

PARAMETER = "told"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{12}")
_KEPT = 3600
_SECONDS_BETWEEN = 1.0

State = Literal["running", "done", "broken off", "stopped"]
Tell = Callable[[int, State], None]


class Progress(NamedTuple):
    """How many rows went out so far, whether that is all, and since when it goes on (aware)."""

    rows: int
    state: State
    since: datetime


def mint() -> str:
    """A token for a link to an export."""
    return secrets.token_urlsafe(9)


def teller(request: PersonRequest) -> Tell:
    """What the export at hand tells its rows to; nothing for an address without a token."""
    token = request.GET.get(PARAMETER, "")
    if not _TOKEN.fullmatch(token):
        return lambda rows, state: None
    key, since, last = _key(request, token), timezone.now(), 0.0

    def tell(rows: int, state: State) -> None:
        nonlocal last
        now = time.monotonic()
        if state == "running" and now - last < _SECONDS_BETWEEN:
            return
        last = now
        cache.set(key, (rows, state, since), _KEPT)

    tell(0, "running")
    return tell


def of(request: PersonRequest, token: str) -> Progress | None:
    """The progress of this person's export with that token; None where it has not begun."""
    kept = cache.get(_key(request, token))
    return Progress(*kept) if kept else None


def _key(request: PersonRequest, token: str) -> str:
    return f"export:{request.user.pk}:{token}"
