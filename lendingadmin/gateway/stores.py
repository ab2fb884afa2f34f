"""Where all processes keep the service account's one token: the database, or Redis at scale.

The token is sealed in either. The lease is a compare-and-swap on both: the cache's `add()` is no
lock (on PostgreSQL several callers win an expired key at once).
"""

import hashlib
import json
import time
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import uuid4

import redis
from django.conf import settings
from django.db.models import Q

from lendingadmin.encryption import DecryptionError, decrypt, encrypt
from lendingadmin.gateway.models import ServiceToken
from lendingadmin.lending.tokens import AccessToken, Refusal, TokenStore

# A token lives an hour at most; what is left behind goes by itself.
_REDIS_KEPT = 2 * 3600

_DISCARD = """
if redis.call('HGET', KEYS[1], 'serial') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


def token_store() -> TokenStore:
    """The store that the settings ask for: Redis when the cache is there, else the database."""
    key = account_key(settings.LENDING_AUTH_URL, settings.LENDING_CLIENT_ID, settings.LENDING_SCOPE)
    cache = settings.CACHES["default"]
    if "redis" in cache["BACKEND"].lower():
        location = cache["LOCATION"]
        return RedisTokenStore(key, location if isinstance(location, str) else location[0])
    return DatabaseTokenStore(key)


def account_key(auth_url: str, client_id: str, scope: str) -> str:
    """A name for one service account at one issuer: other credentials never find its token."""
    return hashlib.sha256("\n".join((auth_url, client_id, scope)).encode()).hexdigest()


class DatabaseTokenStore:
    """A TokenStore in one row of the database.

    Call it outside of a transaction: inside of one nobody else sees the lease before the commit.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def load(self) -> AccessToken | None:
        """See TokenStore."""
        sealed = self._rows().values_list("sealed", flat=True).first()
        return _unsealed(sealed) if sealed else None

    def save(self, token: AccessToken) -> None:
        """See TokenStore."""
        self._update(sealed=_sealed(token), serial=token.serial, refusal="")

    def discard(self, serial: str) -> bool:
        """See TokenStore."""
        return bool(self._rows().filter(serial=serial).update(sealed="", serial=""))

    def try_lease(self, seconds: float) -> str | None:
        """See TokenStore."""
        self._ensure()
        holder, now = uuid4().hex, time.time()
        # A lease that ends later than one can is from a host whose clock was ahead. Clocks that
        # differ by less than a lease do no harm.
        over = Q(lease_until__lte=now) | Q(lease_until__gt=now + 2 * seconds)
        free = self._rows().filter(over)
        return holder if free.update(lease_holder=holder, lease_until=now + seconds) else None

    def release(self, holder: str) -> None:
        """See TokenStore."""
        self._rows().filter(lease_holder=holder).update(lease_holder="", lease_until=0)

    def refusal(self) -> Refusal | None:
        """See TokenStore."""
        text = self._rows().values_list("refusal", flat=True).first()
        return _refusal(text) if text else None

    def refuse(self, refusal: Refusal) -> None:
        """See TokenStore."""
        self._update(refusal=_text(refusal))

    def _rows(self) -> Any:
        return ServiceToken.objects.filter(key=self._key)

    def _update(self, **fields: str) -> None:
        self._ensure()
        self._rows().update(**fields)

    def _ensure(self) -> None:
        if not self._rows().exists():
            ServiceToken.objects.bulk_create([ServiceToken(key=self._key)], ignore_conflicts=True)


class RedisTokenStore:
    """A TokenStore in Redis; `url` is that of the cache."""

    def __init__(self, key: str, url: str) -> None:
        self._redis: Any = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=2, socket_connect_timeout=2
        )
        self._token, self._lease, self._refusal = (
            f"lendingadmin:{what}:{key}" for what in ("token", "lease", "refusal")
        )

    def load(self) -> AccessToken | None:
        """See TokenStore."""
        sealed = self._redis.hget(self._token, "sealed")
        return _unsealed(sealed) if sealed else None

    def save(self, token: AccessToken) -> None:
        """See TokenStore."""
        with self._redis.pipeline() as together:
            together.hset(self._token, mapping={"sealed": _sealed(token), "serial": token.serial})
            together.expire(self._token, _REDIS_KEPT)
            together.delete(self._refusal)
            together.execute()

    def discard(self, serial: str) -> bool:
        """See TokenStore."""
        return bool(self._redis.eval(_DISCARD, 1, self._token, serial))

    def try_lease(self, seconds: float) -> str | None:
        """See TokenStore."""
        holder = uuid4().hex
        won = self._redis.set(self._lease, holder, nx=True, px=max(1, int(seconds * 1000)))
        return holder if won else None

    def release(self, holder: str) -> None:
        """See TokenStore."""
        self._redis.eval(_RELEASE, 1, self._lease, holder)

    def refusal(self) -> Refusal | None:
        """See TokenStore."""
        text = self._redis.get(self._refusal)
        return _refusal(text) if text else None

    def refuse(self, refusal: Refusal) -> None:
        """See TokenStore."""
        self._redis.set(self._refusal, _text(refusal), ex=_REDIS_KEPT)


def _sealed(token: AccessToken) -> str:
    return encrypt(json.dumps(asdict(token), default=datetime.isoformat))


def _unsealed(sealed: str) -> AccessToken | None:
    try:
        fields = json.loads(decrypt(sealed))
    except DecryptionError:
        return None  # sealed with a key that is retired by now; the issuer will give another
    for name in ("issued_at", "expires_at"):
        fields[name] = datetime.fromisoformat(fields[name])
    return AccessToken(**fields)


def _text(refusal: Refusal) -> str:
    return json.dumps(asdict(refusal), default=datetime.isoformat)


def _refusal(text: str) -> Refusal:
    fields = json.loads(text)
    return Refusal(**(fields | {"until": datetime.fromisoformat(fields["until"])}))
