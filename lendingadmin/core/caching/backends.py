"""Django caches that save signed JSON, so an attacker who can write to the cache can't run code.

A value is bound to its key, so it can't be moved to another key. A value that is not signed by
SECRET_KEY is treated as missing. JSON turns tuples into lists.
"""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.redis import RedisCache as DjangoRedisCache
from django.core.signing import BadSignature, dumps, loads
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from .models import Kept

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_NEVER = datetime(9999, 1, 1, tzinfo=UTC)


def sign(key: str, value: object) -> str:
    """Return the value as JSON that is signed for this key."""
    return dumps(value, salt=f"cache:{key}")


def open_signed(key: str, text: object, default: Any) -> Any:
    """Return the value that was signed for this key, or the default if it was not signed."""
    try:
        return loads(text, salt=f"cache:{key}") if isinstance(text, str) else default
    except BadSignature:
        return default


class DatabaseCache(BaseCache):
    """Cache in the database.

    A value is stored until it expires, and is never removed earlier. If the database is read-only,
    nothing is saved, as in Django's own cache. If the database does not answer, its errors are
    raised.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or the default if there is none."""
        name = self.make_and_validate_key(key, version=version)
        rows = Kept.objects.filter(key=name, expires_at__gt=timezone.now())
        return open_signed(name, rows.values_list("value", flat=True).first(), default)

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Save the value. It replaces any earlier value."""
        row = self._make_row(key, value, timeout, version)
        with suppress(DatabaseError), transaction.atomic():
            Kept.objects.bulk_create(
                [row],
                update_conflicts=True,
                unique_fields=["key"],
                update_fields=["value", "expires_at"],
            )

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Save the value if the key has none; return True if it was saved.

        If many callers do this at the same time, only one of them saves its value. Return False if
        the database can't write; raise DatabaseError if the connection to the database is lost.
        """
        row = self._make_row(key, value, timeout, version)
        try:
            with transaction.atomic():
                Kept.objects.filter(key=row.key, expires_at__lte=timezone.now()).delete()
                kept = {"value": row.value, "expires_at": row.expires_at}
                return Kept.objects.get_or_create(key=row.key, defaults=kept)[1]
        except DatabaseError:
            if not connection.is_usable():
                raise  # the connection is gone; False would be read as “too many tries”
            return False

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Add `delta` to a number and return the sum. The time of expiry does not change.

        If several processes add at the same time, each addition counts. Raise ValueError if there
        is no such number, and DatabaseError if it can't be written.
        """
        name = self.make_and_validate_key(key, version=version)
        with transaction.atomic():
            rows = Kept.objects.select_for_update().filter(key=name, expires_at__gt=timezone.now())
            value = open_signed(name, rows.values_list("value", flat=True).first(), None)
            if not isinstance(value, int):
                raise ValueError("there is no such number")
            Kept.objects.filter(key=name).update(value=sign(name, value + delta))
        return value + delta

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete the value of a key; return True if there was one."""
        name = self.make_and_validate_key(key, version=version)
        return bool(Kept.objects.filter(key=name).delete()[0])

    def clear(self) -> None:
        """Delete everything that is saved under this cache's prefix."""
        Kept.objects.filter(key__startswith=self.make_key("")).delete()

    def _make_row(self, key: Any, value: Any, timeout: Any, version: int | None) -> Kept:
        name = self.make_and_validate_key(key, version=version)
        until = self.get_backend_timeout(timeout)
        expires_at = _NEVER if until is None else datetime.fromtimestamp(until, UTC)
        return Kept(key=name, value=sign(name, value), expires_at=expires_at)


class _Text:
    """Serializer for Redis that stores the text unchanged."""

    def dumps(self, text: str) -> bytes:
        return text.encode()

    def loads(self, data: bytes) -> str:
        return data.decode(errors="replace")


# Seconds: the longest wait for the server, and the time without requests after the server did not
# answer. A shared value is not worth a longer wait, and most pages must not wait at all.
_LONGEST_WAIT, LEFT_ALONE = 1.0, 5.0
_LIMITS = {
    "socket_connect_timeout": _LONGEST_WAIT,
    "socket_timeout": _LONGEST_WAIT,
    # Retry once without a pause, because a restarted server has closed the open connections.
    "retry": Retry(NoBackoff(), 1),
}
# By address of a server that did not answer: the time (monotonic, seconds) until which it gets no
# request. Django makes a cache object for each thread, and all of them share this dictionary.
_LEFT_ALONE_UNTIL: dict[str, float] = {}


class RedisCache(DjangoRedisCache):
    """Django's Redis cache, with signed JSON in place of pickles.

    While the server does not answer, nothing is saved, and each page reads all its values from the
    lending service.
    """

    get_many = BaseCache.get_many
    set_many = BaseCache.set_many
    incr = BaseCache.incr

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = {**_LIMITS, **params.get("OPTIONS", {}), "serializer": _Text}
        super().__init__(server, params | {"OPTIONS": options})
        self._server = server

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or the default if there is none."""
        name = self.make_and_validate_key(key, version=version)
        found = self._ask(None, lambda: DjangoRedisCache.get(self, key, None, version))
        return open_signed(name, found, default)

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Save the value. It replaces any earlier value."""
        text = sign(self.make_and_validate_key(key, version=version), value)
        self._ask(None, lambda: DjangoRedisCache.set(self, key, text, timeout, version))

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Save the value if the key has none; return True if it was saved.

        If many callers do this at the same time, only one of them saves its value. Return False if
        the server does not answer.
        """
        text = sign(self.make_and_validate_key(key, version=version), value)
        return self._ask(False, lambda: DjangoRedisCache.add(self, key, text, timeout, version))

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete the value of a key; return True if there was one."""
        return self._ask(False, lambda: DjangoRedisCache.delete(self, key, version))

    def ping(self) -> None:
        """Check that the server answers. Raise RedisError if it does not."""
        self._cache.get_client().ping()

    def run(self, script: str, keys: Iterable[str], *arguments: str | float) -> Any:
        """Run a script in one step; return None if the server does not answer."""
        names = [self.make_and_validate_key(key) for key in keys]
        known = self._cache.get_client(write=True).register_script(script)
        return self._ask(None, lambda: known(keys=names, args=arguments))

    def _ask(self, otherwise: Answer, ask: Callable[[], Answer]) -> Answer:
        """Return the server's answer; `otherwise` if there is none, or recently was none."""
        now, until = time.monotonic(), _LEFT_ALONE_UNTIL.get(self._server)
        if until is not None:
            if now < until:
                return otherwise
            # Only this caller asks the server again; other callers get `otherwise`.
            _LEFT_ALONE_UNTIL[self._server] = now + LEFT_ALONE
        try:
            answer = ask()
        except RedisError:
            _LEFT_ALONE_UNTIL[self._server] = time.monotonic() + LEFT_ALONE
            logger.warning("nothing is shared while the cache does not answer", exc_info=True)
            return otherwise
        _LEFT_ALONE_UNTIL.pop(self._server, None)
        return answer
