"""Whether a read is tried once more, and after how long. Writes are never tried again."""

import random

from lendingadmin.lending.wire import Fault

TRIES = 3
LONGEST_RETRY_AFTER = 2.0
_FAULTS = frozenset({Fault.NOT_OPENED, Fault.BROKEN, Fault.OUT_OF_STEP})
_STATUSES = frozenset({502, 503, 504})


def pause_before_retry(
    tries: int,
    *,
    fault: Fault | None,
    status: int | None,
    retry_after: float | None,
    backoff: float,
) -> float | None:
    """Seconds until a read that failed for the `tries`th time is tried again; None for never.

    Tried again: a connection that did not open, broke off or is out of step, 502, 503, 504.
    `Retry-After` is honoured up to two seconds; a service that asks for more gets its rest.
    Otherwise the pause doubles from `backoff` seconds, with a random half so that many readers do
    not return as one.
    """
    if tries >= TRIES or not (fault in _FAULTS or (fault is None and status in _STATUSES)):
        return None
    if retry_after is not None:
        return retry_after if retry_after <= LONGEST_RETRY_AFTER else None
    longest: float = backoff * 2 ** (tries - 1)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads load, keeps no secret
