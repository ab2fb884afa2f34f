"""One answer for many: what several people ask for within two seconds costs one call."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple, TypeVar

import simplejson
from django.core.cache import cache
from django.utils import timezone

from lendingadmin.lending.values import Value
from lendingadmin.sealing import Unreadable, seal, unseal

GOOD_FOR = timedelta(seconds=2)

Read = TypeVar("Read", bound=Value)


class Shared(NamedTuple):
    """The answer's JSON object and when it was read (aware, UTC)."""

    raw: Mapping[str, object]
    read_at: datetime


def read(key: str, kind: type[Read], call: Callable[[], Read]) -> tuple[Read, datetime]:
    """The value that somebody was given within the last two seconds, or what `call` gives now.

    The answer is kept sealed, under a key that tells nothing, with a time stamp of its own: a cache
    may keep longer than it was asked to. The caller has checked the person's right before. Raises
    the LendingError of `call`.
    """
    kept_under = "shared:" + sha256(key.encode()).hexdigest()
    kept = _opened(cache.get(kept_under))
    if kept is not None and timezone.now() - kept.read_at < GOOD_FOR:
        return kind(kept.raw), kept.read_at
    value, now = call(), timezone.now()
    text = simplejson.dumps({"raw": value.raw, "read_at": now.isoformat()}, use_decimal=True)
    cache.set(kept_under, seal(text), timeout=GOOD_FOR.total_seconds() + 1)
    return value, now


def _opened(sealed: object) -> Shared | None:
    if not isinstance(sealed, str):
        return None
    try:
        kept = simplejson.loads(unseal(sealed), use_decimal=True)
    except (Unreadable, ValueError):
        return None
    return Shared(kept["raw"], datetime.fromisoformat(kept["read_at"]))
