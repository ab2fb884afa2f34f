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


class Sent(NamedTuple):
    """What went out so far: rows, whether that is all, and rows that are left out as repeated.

    `why` is the sentence for what broke off.
    """

    rows: int = 0
    state: State = "running"
    repeated: int = 0
    why: str = ""


class Progress(NamedTuple):
    """What went out, and since when (aware)."""

    sent: Sent
    since: datetime


Tell = Callable[[Sent], None]


def mint() -> str:
    """A token for a link to an export."""
    return secrets.token_urlsafe(9)


def teller(request: PersonRequest) -> Tell:
    """What the export at hand tells its rows to; nothing for an address without a token."""
    token = request.GET.get(PARAMETER, "")
    if not _TOKEN.fullmatch(token):
        return lambda sent: None
    key, since, last = _key(request, token), timezone.now(), 0.0

    def tell(sent: Sent) -> None:
        nonlocal last
        now = time.monotonic()
        if sent.state == "running" and now - last < _SECONDS_BETWEEN:
            return
        last = now
        cache.set(key, (*sent, since), _KEPT)

    tell(Sent())
    return tell


def of(request: PersonRequest, token: str) -> Progress | None:
    """The progress of this person's export with that token; None where it has not begun."""
    kept = cache.get(_key(request, token))
    return Progress(Sent(*kept[:-1]), kept[-1]) if kept else None


def _key(request: PersonRequest, token: str) -> str:
    return f"export:{request.user.pk}:{token}"
