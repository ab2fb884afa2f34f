"""Both caches: what is kept, for how long, and that nobody else's words are believed."""

import pickle
import time
from collections.abc import Iterator
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.cache import cache as counters
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache as DjangoRedisCache
from django.db import connection
from django.utils import timezone
from redis.exceptions import RedisError

from lendingadmin.core.caching import backends, shared
from lendingadmin.core.caching.backends import RedisCache
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.staff import retention

REDIS = "redis://127.0.0.1:6379/5"
pytestmark = pytest.mark.django_db


@pytest.fixture(params=["counters", "shared", "redis"])
def cache(request: pytest.FixtureRequest) -> Iterator[BaseCache]:
    one: Any = {"counters": counters, "shared": shared}.get(request.param)
    if request.param == "redis":
        one = RedisCache(REDIS, {"KEY_PREFIX": uuid4().hex, "TIMEOUT": 60})
        try:
            one.ping()
        except RedisError:
            pytest.skip(f"nothing answers at {REDIS}")
    yield one
    for key in ("key", "over", "long", "lock", "first", *map("flood-{}".format, range(400))):
        one.delete(key)


@pytest.mark.parametrize("value", ["text", 7, 1.5, True, [1.5, 2], {"a": ["b"]}, None, ""])
def test_what_is_kept_comes_back(cache: BaseCache, value: object) -> None:
    cache.set("key", value)
    assert cache.get("key", "nothing") == value
    assert cache.get("another", "nothing") == "nothing"


def test_a_value_is_kept_until_it_expires_or_is_forgotten(cache: BaseCache) -> None:
    cache.set("over", 1)
    cache.set("over", 1, timeout=-1)
    cache.set("long", 1, timeout=None)
    cache.set("long", 2, timeout=60)
    assert (cache.get("over"), cache.get("long")) == (None, 2)
    assert (cache.delete("long"), cache.delete("long")) == (True, False)
    assert cache.get("long") is None


def test_add_keeps_what_is_there_unless_it_has_expired(cache: BaseCache) -> None:
    assert cache.add("key", "first", timeout=60)
    assert not cache.add("key", "second", timeout=60)
    assert cache.get("key") == "first"
    cache.set("key", "first", timeout=-1)
    assert cache.add("key", "third", timeout=60)
    assert cache.get("key") == "third"


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_adds(cache: BaseCache) -> None:
    start, added = Barrier(4), list[bool]()

    def add() -> None:
        start.wait()
        added.append(cache.add("lock", "mine", timeout=60))
        connection.close()

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(added) == [False, False, False, True]


def test_a_number_is_added_to_and_expires_when_it_would_have() -> None:
    counters.set("key", 1, timeout=600)
    expires_at = Kept.objects.get().expires_at
    assert (counters.incr("key"), counters.incr("key", 5), counters.get("key")) == (2, 7, 7)
    assert Kept.objects.get().expires_at == expires_at


@pytest.mark.parametrize("there", ["nothing", "expired", "text", "forged"])
def test_what_is_no_number_is_not_added_to(there: str) -> None:
    if there != "nothing":
        counters.set("key", "text" if there == "text" else 1, -1 if there == "expired" else 60)
    if there == "forged":
        Kept.objects.update(value="1")
    with pytest.raises(ValueError, match="no such number"):
        counters.incr("key")


@pytest.mark.django_db(transaction=True)
def test_of_several_at_once_each_is_added() -> None:
    counters.set("key", 0, timeout=60)

    def add() -> None:
        for _ in range(5):
            counters.incr("key")
        connection.close()

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters.get("key") == 20


def test_nothing_makes_room_for_anything_else(cache: BaseCache) -> None:
    cache.set("first", 1, timeout=600)
    for number in range(400):
        cache.set(f"flood-{number}", "x" * 100, timeout=600)
    assert cache.get("first") == 1


def test_the_two_caches_are_apart() -> None:
    counters.set("key", "counted")
    shared.clear()
    assert (counters.get("key"), shared.get("key")) == ("counted", None)


class Harm:
    """Runs code where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("the cache ran what it was given",))


@pytest.mark.parametrize("text", ["", "no signature", pickle.dumps(Harm(), 0).decode("latin-1")])
def test_what_nobody_signed_is_as_if_it_were_not_there(text: str) -> None:
    counters.set("key", "mine")
    Kept.objects.filter(key=counters.make_key("key")).update(value=text)
    assert counters.get("key", "nothing") == "nothing"


def test_a_value_can_not_be_moved_to_another_key() -> None:
    counters.set("theirs", "allowed")
    signed = Kept.objects.get(key=counters.make_key("theirs")).value
    counters.set("mine", "refused")
    Kept.objects.filter(key=counters.make_key("mine")).update(value=signed)
    assert counters.get("mine", "nothing") == "nothing"


def test_what_has_expired_is_deleted() -> None:
    counters.set("over", 1, timeout=-1)
    counters.set("long", 1, timeout=60)
    retention.delete_over()
    assert Kept.objects.get().expires_at > timezone.now() + timedelta(seconds=50)


@pytest.mark.parametrize("address", ["refused_address", "unanswered_address"])
def test_without_an_answer_nothing_is_kept_and_nobody_waits(
    address: str, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    server = f"redis://{urlsplit(request.getfixturevalue(address)).netloc}/0"
    cache = RedisCache(server, {})
    assert cache.get("key", "nothing") == "nothing"  # it waits, at most twice for a second
    began = time.monotonic()
    for _ in range(50):
        another = RedisCache(server, {})  # as another thread has
        another.set("key", 1)
        assert (another.get("key"), another.add("key", 1), another.delete("key")) == (
            None,
            False,
            False,
        )
    assert time.monotonic() - began < 1
    (line,) = caplog.messages
    assert line.startswith("nothing is shared while the cache does not answer")
    with pytest.raises(RedisError):
        cache.ping()


def test_a_server_that_answers_again_is_asked_after_a_while(
    monkeypatch: pytest.MonkeyPatch, refused_address: str
) -> None:
    monkeypatch.setattr(backends, "LEFT_ALONE", 0.0)
    server = f"redis://{urlsplit(refused_address).netloc}/0"
    cache = RedisCache(server, {})
    assert cache.get("key") is None
    monkeypatch.setattr(DjangoRedisCache, "get", lambda *_: backends.sign(":1:key", 7))
    assert cache.get("key") == 7
    assert server not in backends._LEFT_ALONE_UNTIL
