"""Every store keeps the same promises; those that processes share keep them between processes."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.db import connection

from lendingadmin.gateway import stores
from lendingadmin.gateway.models import ServiceToken
from lendingadmin.lending.errors import NotAccepted
from lendingadmin.lending.tokens import AccessToken, MemoryTokenStore, Refusal, TokenStore
from tests.databases import database_url
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import Clock, source_at

REDIS = "redis://127.0.0.1:6379/5"
HOUR = timedelta(hours=1)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def key() -> str:
    return uuid4().hex


def _redis_store(key: str) -> stores.RedisTokenStore:
    store = stores.RedisTokenStore(key, REDIS)
    try:
        store.load()
    except redis.ConnectionError:
        pytest.skip(f"no Redis answers at {REDIS}")
    return store


def _clear_redis(key: str) -> None:
    connected = redis.Redis.from_url(REDIS)
    connected.delete(*(f"lendingadmin:{what}:{key}" for what in ("token", "lease", "refusal")))


@pytest.fixture(params=["memory", "database", "redis"])
def store(request: pytest.FixtureRequest, key: str) -> Iterator[TokenStore]:
    if request.param == "memory":
        yield MemoryTokenStore()
    elif request.param == "database":
        yield stores.DatabaseTokenStore(key)
    else:
        yield _redis_store(key)
        _clear_redis(key)


def a_token(value: str = "secret-value", age: timedelta = timedelta(0)) -> AccessToken:
    now = datetime.now(UTC)
    return AccessToken(value, now - age, now - age + HOUR, "platform.lending")


def a_refusal() -> Refusal:
    return Refusal(
        datetime.now(UTC) + timedelta(seconds=30), "NotAccepted", 401, "no such client", "Not so."
    )


def test_an_empty_store_has_nothing(store: TokenStore) -> None:
    assert (store.load(), store.refusal(), store.discard("x")) == (None, None, False)


def test_what_is_saved_comes_back(store: TokenStore) -> None:
    store.save(a_token("one"))
    token = a_token("two")
    store.save(token)
    assert store.load() == token


def test_a_token_is_discarded_only_if_it_is_still_that_one(store: TokenStore) -> None:
    old, new = a_token("old"), a_token("new")
    store.save(old)
    store.save(new)
    assert not store.discard(old.serial)
    assert store.load() == new
    assert store.discard(new.serial)
    assert store.load() is None
    assert not store.discard(new.serial)


def test_a_refusal_stays_until_a_token_comes(store: TokenStore) -> None:
    refusal = a_refusal()
    store.refuse(refusal)
    assert store.refusal() == refusal
    store.save(a_token())
    assert store.refusal() is None


def test_one_holds_the_lease(store: TokenStore) -> None:
    first = store.try_lease(30)
    assert first is not None
    assert store.try_lease(30) is None
    store.release("somebody else")
    assert store.try_lease(30) is None
    store.release(first)
    assert store.try_lease(30) is not None


def test_a_lease_that_is_over_passes_on_and_is_not_given_back(store: TokenStore) -> None:
    first = store.try_lease(0.1)
    time.sleep(0.15)
    second = store.try_lease(30)
    assert first is not None and second is not None
    store.release(first)
    assert store.try_lease(30) is None


def test_of_sixteen_one_wins_the_lease(store: TokenStore) -> None:
    for _ in range(5):
        gate = threading.Barrier(16)
        won: list[str | None] = []

        def race(gate: threading.Barrier = gate, won: list[str | None] = won) -> None:
            gate.wait()
            try:
                won.append(store.try_lease(30))
            finally:
                connection.close()

        threads = [threading.Thread(target=race) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        holders = [holder for holder in won if holder]
        assert (len(won), len(holders)) == (16, 1)
        store.release(holders[0])


def test_the_database_holds_no_token_in_clear(key: str) -> None:
    stores.DatabaseTokenStore(key).save(a_token("secret-value"))
    row = ServiceToken.objects.values().get(key=key)
    assert "secret-value" not in str(row)
    assert "secret-value" not in repr(ServiceToken.objects.get())


def test_redis_holds_no_token_in_clear(key: str) -> None:
    _redis_store(key).save(a_token("secret-value"))
    connected = redis.Redis.from_url(REDIS)
    name = f"lendingadmin:token:{key}"
    assert b"secret-value" not in b"".join(connected.hgetall(name).values())
    assert 0 < connected.ttl(name) <= 2 * 3600
    _clear_redis(key)


def test_a_token_sealed_with_a_lost_key_is_no_token(key: str, settings: Any) -> None:
    store = stores.DatabaseTokenStore(key)
    store.save(a_token())
    settings.DATA_KEYS = ("b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItb3Q=",)
    assert store.load() is None


def test_accounts_do_not_share(settings: Any) -> None:
    keys = {
        stores.account_key(*account)
        for account in [("u", "a", "s"), ("u", "a", "t"), ("u", "b", "s"), ("v", "a", "s")]
    }
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("cache", "kind"),
    [
        (
            {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"},
            stores.DatabaseTokenStore,
        ),
        (
            {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS},
            stores.RedisTokenStore,
        ),
        (
            {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": [REDIS]},
            stores.RedisTokenStore,
        ),
    ],
    ids=["database", "redis", "several redis"],
)
def test_the_settings_choose(cache: dict[str, Any], kind: type, settings: Any) -> None:
    settings.CACHES = {"default": cache}
    assert type(stores.token_store()) is kind


def _workers(count: int, kind: str, key: str, issuer: str) -> list[str]:
    """What the threads of `count` processes got, all of them asking at once."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url(),
        "CACHE_URL": REDIS if kind == "redis" else "dbcache://cache",
    }
    command = [sys.executable, "-m", "tests.gateway.token_worker", kind, key, issuer]
    root = Path(__file__).resolve().parents[2]
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen(command, cwd=root, env=environment, stdin=pipe, stdout=pipe, text=True)
        for _ in range(count)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    values = []
    for process in processes:
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        values += output.split()
    return values


@pytest.mark.parametrize("kind", ["database", "redis"])
@pytest.mark.parametrize("age", [timedelta(hours=2), timedelta(minutes=54)], ids=["over", "ending"])
def test_four_processes_of_sixteen_threads_make_one_token_call(
    kind: str, age: timedelta, key: str, fault_server: FaultServer
) -> None:
    store = _redis_store(key) if kind == "redis" else stores.DatabaseTokenStore(key)
    old = a_token("old", age)
    store.save(old)
    fault_server.on("POST /v1/oauth2/token", do.late(do.token("new"), 0.3))
    values = _workers(4, kind, key, fault_server.url)
    assert (len(values), fault_server.hits()) == (64, 1)
    # Over: all wait for the new one. Ending: all but the one who renews go on with it.
    usable = {"new"} if old.expires_at < datetime.now(UTC) else {"old", "new"}
    assert set(values) == usable
    stored = store.load()
    assert stored is not None and stored.value == "new"
    if kind == "redis":
        _clear_redis(key)


def test_processes_share_a_refusal(key: str, fault_server: FaultServer) -> None:
    fault_server.on("POST /v1/oauth2/token", do.late(do.refusal(401), 0.3))
    values = _workers(2, "database", key, fault_server.url)
    assert (set(values), len(values), fault_server.hits()) == ({"NotAccepted"}, 32, 1)


def test_a_token_from_a_clock_that_was_ahead_is_renewed_at_once(
    store: TokenStore, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/oauth2/token", do.token("ahead"), do.token("right"))
    clock = Clock()
    corrected = source_at(fault_server.url, clock=clock, store=store)
    other = source_at(fault_server.url, clock=Clock(), store=store)
    clock.forward(5 * 3600)
    assert corrected.token().value == "ahead"
    clock.forward(-5 * 3600)
    # Both the host that holds it in memory and one that finds it in the store.
    assert (other.token().value, corrected.token().value) == ("right", "right")
    assert fault_server.hits() == 2


def test_a_token_from_a_clock_that_was_ahead_is_dropped_when_it_is_refused(
    store: TokenStore, fault_server: FaultServer
) -> None:
    clock = Clock()
    issued_at = clock.now + timedelta(hours=5)
    store.save(AccessToken("ahead", issued_at, issued_at + HOUR, ""))
    assert source_at(fault_server.url, clock=clock, store=store).drop("ahead")
    assert store.load() is None


def test_a_refusal_from_a_clock_that_was_ahead_locks_nobody_out(
    store: TokenStore, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/oauth2/token", do.refusal(401), do.token("granted"))
    ahead = Clock()
    ahead.forward(5 * 3600)
    with pytest.raises(NotAccepted):
        source_at(fault_server.url, clock=ahead, store=store).token()
    assert source_at(fault_server.url, clock=Clock(), store=store).token().value == "granted"


def test_a_lease_from_a_clock_that_was_ahead_passes_on(key: str) -> None:
    store = stores.DatabaseTokenStore(key)
    assert store.try_lease(15)
    # Its holder is gone, and had a clock that was five hours ahead.
    ServiceToken.objects.filter(key=key).update(lease_until=time.time() + 5 * 3600)
    assert store.try_lease(15)
