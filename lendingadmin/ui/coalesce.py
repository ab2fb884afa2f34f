"""One call for many: whoever asks for the same at once, or within two seconds, shares one answer.

For reads alone, and for an offer's poll, a POST that may start an offer (Spec: Borrowers, 4). What
writes goes out as often as a person means it, and never through here.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import simplejson
from django.core.cache import cache
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.encryption import DecryptionError, decrypt, encrypt
from lendingadmin.lending import errors
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, Saved, Throttled
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.values import Value

GOOD_FOR = timedelta(seconds=2)
# Seconds; a call's wait for its answer is as long.
LONGEST_WAIT = 10.0
# A call is over by then, with all its tries (`lending.transport`).
_LOCKED_SECONDS = 30
_PAUSE = 0.05
_NOT_THERE_YET = (
    "Others have asked for the same just now, and the answer is not there yet. Nothing was sent."
)

Read = TypeVar("Read", bound=Value)


class Answered(NamedTuple):
    """The answer's JSON object and when it was read (aware, UTC)."""

    raw: Mapping[str, object]
    read_at: datetime


class _Process(ForkSafe):
    """The calls of this process that others may wait for, by their key."""

    def reset(self) -> None:
        """A forked child waits for no thread of its parent."""
        self._lock = threading.Lock()
        self._under_way: dict[str, Future[Answered]] = {}

    def join(self, key: str) -> tuple[Future[Answered], bool]:
        """The call for this key, and whether the caller is the one who must make it."""
        with self._lock:
            if found := self._under_way.get(key):
                return found, False
            made = self._under_way[key] = Future()
            return made, True

    def leave(self, key: str) -> None:
        """The call is over; who comes now makes another."""
        with self._lock:
            del self._under_way[key]


_process = _Process()


def read(key: str, kind: type[Read], call: Callable[[], Read]) -> tuple[Read, datetime]:
    """The value that somebody was given within the last two seconds, or what `call` gives now.

    One caller makes the call, in this process and in all that share the cache; the others wait for
    what it comes to, be it an error, for `LONGEST_WAIT` seconds, and then raise Throttled. Each of
    them takes a place under way meanwhile. The answer is kept encrypted, under a key that tells
    nothing, with a time stamp of its own: a cache may keep longer than it was asked to. The caller
    has checked the person's right before. Raises the LendingError of `call`.
    """
    kept_under = "coalesced:" + sha256(key.encode()).hexdigest()
    found = _fresh(kept_under)
    if found is None:
        under_way, is_ours = _process.join(kept_under)
        found = _lead(under_way, kept_under, call) if is_ours else _wait(under_way)
    return kind(found.raw), found.read_at


def _wait(under_way: Future[Answered]) -> Answered:
    with _waiting_place():
        try:
            return under_way.result(timeout=LONGEST_WAIT)
        except TimeoutError:
            raise Throttled(_NOT_THERE_YET) from None


def _waiting_place() -> AbstractContextManager[None]:
    """A place under way, as if this were a call: the server's other threads stay free."""
    return gateway.client().transport.take_slot()


def _lead(under_way: Future[Answered], key: str, call: Callable[[], Value]) -> Answered:
    """Ask on behalf of this process, and hand what comes to those who wait."""
    try:
        answered = _ask_once(key, call)
    except BaseException as error:
        under_way.set_exception(error)
        raise
    else:
        under_way.set_result(answered)
        return answered
    finally:
        _process.leave(key)


def _ask_once(key: str, call: Callable[[], Value]) -> Answered:
    """Make the call if no other process is making it; otherwise wait for what that one gets.

    `add` decides between many at once as long as no lock is left behind, so it is always given
    back. Where a process died with it, several may follow at once after `_LOCKED_SECONDS`.
    """
    lock, mine = f"{key}:lock", uuid4().hex
    time_left = Deadline(LONGEST_WAIT)
    while not cache.add(lock, mine, timeout=_LOCKED_SECONDS):
        with _waiting_place():
            found = _wait_for(key, cache.get(lock) or "", time_left)
        if found is not None:
            return found
    try:
        # Another process may have answered between our look and our lock.
        return _fresh(key) or _ask(key, mine, call)
    finally:
        cache.delete(lock)


def _ask(key: str, mine: str, call: Callable[[], Value]) -> Answered:
    try:
        value = call()
    except LendingError as error:
        # For those who wait for this very call; whoever comes later makes one.
        cache.set(f"{key}:{mine}", encrypt(_write_error(error)), timeout=LONGEST_WAIT + 1)
        raise
    answered = Answered(value.raw, timezone.now())
    text = simplejson.dumps(
        {"raw": answered.raw, "read_at": answered.read_at.isoformat()}, use_decimal=True
    )
    cache.set(key, encrypt(text), timeout=GOOD_FOR.total_seconds() + 1)
    return answered


def _wait_for(key: str, holder: str, time_left: Deadline) -> Answered | None:
    """What another process gets for its call; None where it is gone without a word.

    Raises that call's LendingError, and Throttled when the time is over.
    """
    while True:
        is_over = cache.get(f"{key}:lock") != holder
        if found := _fresh(key):
            return found
        if fault := _open(cache.get(f"{key}:{holder}")):
            raise _read_error(fault)
        if is_over:
            return None
        if time_left.has_passed:
            raise Throttled(_NOT_THERE_YET)
        time.sleep(_PAUSE)


def _fresh(key: str) -> Answered | None:
    """The answer that is kept, if it is not too old."""
    kept = _open(cache.get(key))
    if kept is None:
        return None
    answered = Answered(kept["raw"], datetime.fromisoformat(kept["read_at"]))
    return answered if timezone.now() - answered.read_at < GOOD_FOR else None


def _open(sealed: object) -> Any:
    if not isinstance(sealed, str):
        return None
    try:
        return simplejson.loads(decrypt(sealed), use_decimal=True)
    except (DecryptionError, ValueError):
        return None


_FIELDS = ("message", "operation", "status", "error_description", "request_id", "saved")


def _write_error(error: LendingError) -> str:
    fields = {name: getattr(error, name) for name in _FIELDS}
    return str(simplejson.dumps(fields | {"kind": type(error).__name__}))


def _read_error(fields: dict[str, Any]) -> LendingError:
    kind: type[LendingError] = getattr(errors, fields.pop("kind"), LendingError)
    return kind(fields.pop("message"), **fields | {"saved": Saved(fields["saved"])})
