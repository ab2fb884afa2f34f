"""One call for many callers: equal reads within two seconds share one answer.

The module is only for reads, and for the poll of an offer, which is a POST and may start an offer
(Spec: Borrowers, 4). Writes never use this module.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import simplejson
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.caching import shared
from lendingadmin.core.encryption import DecryptionError, decrypt, encrypt
from lendingadmin.lending import errors
from lendingadmin.lending.errors import LendingError, Saved, Throttled
from lendingadmin.lending.values import Value
from lendingadmin.lending.wire import Deadline

GOOD_FOR = timedelta(seconds=2)
# Seconds that a caller waits. A call waits for the service's answer for the same time.
LONGEST_WAIT = 10.0
# A call with all its retries ends within this time (`lending.transport`).
_LOCKED_SECONDS = 30
_PAUSE = 0.05
# The first pause of a waiting caller is short, because the call may end soon. Each further pause is
# twice as long, up to _PAUSE.
_FIRST_PAUSE = 0.002
# The purpose for which answers and errors are encrypted.
_USE = "ui.coalesce"
# If a caller neither takes nor sees a lock for this number of times, the cache does not save locks.
_MISSES = 5

Read = TypeVar("Read", bound=Value)


class Answered(NamedTuple):
    """The answer's JSON object and the time of reading (aware, UTC)."""

    raw: Mapping[str, object]
    read_at: datetime


def read(key: str, kind: type[Read], call: Callable[[], Read]) -> tuple[Read, datetime]:
    """Return the answer of a new call, or an answer from the last two seconds; also its time.

    Among the callers that share the cache, only one makes the call. The others wait up to
    `LONGEST_WAIT` seconds for the result or the error, and then raise Throttled. The answer is
    saved encrypted, under a key that reveals nothing. The time is stored with the answer, because a
    cache may store an answer for longer than requested. The caller must check the person's right
    before. Raise the LendingError of `call`.
    """
    kept_under = "coalesced:" + sha256(key.encode()).hexdigest()
    found = _fresh(kept_under) or _ask_once(kept_under, call)
    return kind(found.raw), found.read_at


def _ask_once(key: str, call: Callable[[], Value]) -> Answered:
    """Make the call if no other caller is making it; otherwise wait for that caller's result.

    `add` gives the lock to exactly one of many callers, unless an expired lock is stored. So the
    lock is always released. If a process died while it held the lock, several callers may make the
    call after `_LOCKED_SECONDS`. A waiting caller takes one of the places for calls, so that the
    server's other threads stay free. Raise the LendingError of the call, or Throttled.
    """
    lock, mine, misses = f"{key}:lock", uuid4().hex, 0
    time_left = Deadline(LONGEST_WAIT)
    while not shared.add(lock, mine, timeout=_LOCKED_SECONDS):
        holder = shared.get(lock)
        if holder is None:
            # The lock was just released, or the cache saves nothing. If the cache saves nothing,
            # answers can't be shared.
            misses += 1
            if misses == _MISSES:
                return _ask(key, mine, call)
            time.sleep(_PAUSE)
            continue
        with gateway.client().transport.take_slot():
            found = _wait_for(key, holder, time_left)
        if found is not None:
            return found
    try:
        # Between the check and the lock, another caller may have saved an answer.
        return _fresh(key) or _ask(key, mine, call)
    finally:
        shared.delete(lock)


def _ask(key: str, mine: str, call: Callable[[], Value]) -> Answered:
    try:
        value = call()
    except LendingError as error:
        # The error is for the callers that wait for this call. A later caller makes another call.
        shared.set(f"{key}:{mine}", encrypt(_write_error(error), _USE), timeout=LONGEST_WAIT + 1)
        raise
    answered = Answered(value.raw, timezone.now())
    try:
        text = simplejson.dumps(
            {"raw": answered.raw, "read_at": answered.read_at.isoformat()}, use_decimal=True
        )
    except (RecursionError, ValueError):
        # An answer that is nested too deeply can't be saved, so each caller makes its own call.
        return answered
    shared.set(key, encrypt(text, _USE), timeout=GOOD_FOR.total_seconds() + 1)
    return answered


def _wait_for(key: str, holder: str, time_left: Deadline) -> Answered | None:
    """Return the result of the lock holder's call; None if the lock is gone without a result.

    Raise the LendingError of that call, or Throttled when no time is left.
    """
    pause = _FIRST_PAUSE
    while True:
        is_over = shared.get(f"{key}:lock") != holder
        if found := _fresh(key):
            return found
        if fault := _open(shared.get(f"{key}:{holder}")):
            raise _read_error(fault)
        if is_over:
            return None
        if time_left.has_passed:
            raise Throttled(
                _(
                    "The service has not yet answered earlier requests for the same data. "
                    "Nothing was sent."
                )
            )
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE)


def _fresh(key: str) -> Answered | None:
    """Return the saved answer; None if there is none or its age is GOOD_FOR or more."""
    kept = _open(shared.get(key))
    if kept is None:
        return None
    answered = Answered(kept["raw"], datetime.fromisoformat(kept["read_at"]))
    return answered if timezone.now() - answered.read_at < GOOD_FOR else None


def _open(encrypted: object) -> Any:
    if not isinstance(encrypted, str):
        return None
    try:
        return simplejson.loads(decrypt(encrypted, _USE), use_decimal=True)
    except (DecryptionError, ValueError):
        return None


_FIELDS = ("message", "operation", "status", "error_description", "request_id", "saved")
# Attributes that only some errors have.
_FURTHER = ("scopes", "permission", "retry_after")


def _write_error(error: LendingError) -> str:
    fields = {name: getattr(error, name) for name in _FIELDS}
    further = {name: getattr(error, name) for name in _FURTHER if hasattr(error, name)}
    return str(
        simplejson.dumps({"kind": type(error).__name__, "fields": fields, "further": further})
    )


def _read_error(kept: dict[str, Any]) -> LendingError:
    kind: type[LendingError] = getattr(errors, kept["kind"], LendingError)
    fields = kept["fields"] | {"saved": Saved(kept["fields"]["saved"])}
    error = kind(fields.pop("message"), **fields)
    for name, value in kept["further"].items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error
