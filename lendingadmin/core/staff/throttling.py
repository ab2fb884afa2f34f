"""Limits of allauth for sign-ins, codes and passkeys, counted with our own counters.

allauth locks its counters in the cache, and a sign-in waits at most one second for the lock.
Without the lock, allauth returns “too many tries”. When thirty people signed in at the same moment,
half of them were refused. Our counters have the same limits.
"""

import time
from collections.abc import Iterator
from typing import Any

from allauth.core.exceptions import RateLimited
from allauth.core.internal import ratelimit
from django.http import HttpRequest

from lendingadmin.core.caching import counters
from lendingadmin.core.caching.counters import Limit, Try


def count_by_ourselves() -> None:
    """Replace the counters of allauth by `consume` and `clear`."""
    ratelimit.consume, ratelimit.clear = consume, clear


def consume(
    request: HttpRequest,
    *,
    dry_run: bool = False,
    limit_get: bool = False,
    raise_exception: bool = False,
    **of: Any,
) -> Try | None:
    """Count a try of an action; return None if the limit was already reached.

    Raise DatabaseError if the try can't be counted, so that the response is a 503 and not “too many
    tries”. With `raise_exception`, raise allauth's RateLimited instead of returning None.
    """
    is_free = request.method == "GET" and not limit_get
    limits = [] if is_free else list(_list_limits(request, **of))
    tried = counters.take(limits, time.time(), is_look=dry_run or not limits)
    if tried is None and raise_exception:
        raise RateLimited
    return tried


def clear(request: HttpRequest, **of: Any) -> None:
    """Reset the counters of an action to zero."""
    counters.forget(limit.name for limit in _list_limits(request, **of))


def _list_limits(
    request: HttpRequest,
    *,
    app: str,
    action: str,
    config: dict[str, str] | None = None,
    key: str | None = None,
    user: Any = None,
) -> Iterator[Limit]:
    for rate in ratelimit.get_rates(app=app, action=action, config=config):
        name = ratelimit.get_cache_key(
            request, app=app, action=action, rate=rate, key=key, user=user
        )
        yield Limit(f"tries:{name}", rate.amount, rate.duration)
