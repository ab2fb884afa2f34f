"""Many people who sign in at the same moment, and what one sign-in asks of the database."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.test import Client
from redis.exceptions import RedisError

from lendingadmin.core.caching import counters, shared
from lendingadmin.core.caching.backends import RedisCache
from lendingadmin.core.caching.counters import Limit
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.monitoring.request_lines import QueryTimer
from lendingadmin.core.staff.models import User
from tests.caching.test_backends import REDIS
from tests.conftest import PASSWORD
from tests.repayments.threads import at_once
from tests.staff.test_guessing import LOGIN, gets_in, sign_in

# Statements of one sign-in. allauth's own counters made it 59 on PostgreSQL and 78 on SQLite.
MOST_QUERIES = 25
PEOPLE = 30


@pytest.fixture
def redis(settings: Any) -> Iterator[None]:
    """A Redis that processes share, empty for this test."""
    location = {"BACKEND": "lendingadmin.core.caching.backends.RedisCache", "LOCATION": REDIS}
    settings.CACHES = settings.CACHES | {"shared": location | {"KEY_PREFIX": uuid4().hex}}
    try:
        shared.ping()  # type: ignore[attr-defined]
    except RedisError:
        pytest.skip(f"nothing answers at {REDIS}")
    yield


@pytest.fixture(params=["database", "redis"])
def place(request: pytest.FixtureRequest) -> str:
    """Where the counters are kept."""
    if request.param == "redis":
        request.getfixturevalue("redis")
    return str(request.param)


def enter(number: int) -> bool:
    return gets_in(f"clerk{number}", "10.0.0.1")


@pytest.mark.django_db(transaction=True)
def test_thirty_people_sign_in_at_the_same_moment(place: str) -> None:
    for number in range(PEOPLE):
        User.objects.create_user(f"clerk{number}", password=PASSWORD)
    assert at_once(PEOPLE, enter) == [True] * PEOPLE


@pytest.mark.django_db(transaction=True)
def test_tries_at_the_same_moment_are_each_counted(place: str) -> None:
    limits = [Limit(f"tries:{uuid4().hex}", 7, 60), Limit(f"tries:{uuid4().hex}", 100, 60)]
    allowed = at_once(20, lambda number: counters.take(limits, 1000.0 + number) is not None)
    assert sorted(map(str, allowed)) == ["False"] * 13 + ["True"] * 7


@pytest.mark.django_db
def test_a_try_that_is_given_back_or_too_old_counts_no_more(place: str) -> None:
    limits = [Limit(f"tries:{uuid4().hex}", 2, 60)]
    first, second = counters.take(limits, 1000.0), counters.take(limits, 1010.0)
    assert first and second
    assert counters.take(limits, 1020.0) is None
    second.rollback()
    assert counters.take(limits, 1030.0, is_look=True)
    assert counters.take(limits, 1040.0)
    assert counters.take(limits, 1050.0, is_look=True) is None
    assert counters.take(limits, 1061.0)
    counters.forget(one.name for one in limits)
    assert counters.take(limits, 1062.0)


@pytest.mark.django_db
def test_while_redis_does_not_answer_the_database_counts(
    redis: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RedisCache, "run", lambda *_: None)
    for _ in range(5):
        sign_in("nobody", "wrong", "10.0.0.1")
    assert Kept.objects.filter(key__startswith="tries:").exists()
    assert counters.take([Limit("tries:x", 1, 60)], 1000.0)
    assert counters.take([Limit("tries:x", 1, 60)], 1000.0) is None


@pytest.mark.django_db
def test_wrong_passwords_hold_back_in_both_places(place: str, support: User) -> None:
    for _ in range(5):
        sign_in("support", "wrong", "10.0.0.1")
    assert not gets_in("support", "10.0.0.1")
    assert gets_in("support", "10.0.0.2")


@pytest.mark.django_db(transaction=True)
def test_a_sign_in_asks_for_few_queries(support: User) -> None:
    gets_in("support", "10.0.0.1")
    client, timer = Client(REMOTE_ADDR="10.0.0.1"), QueryTimer()
    with connection.execute_wrapper(timer):
        answer = client.post(LOGIN, {"login": "support", "password": PASSWORD})
    assert answer.status_code == 302
    assert timer.count <= MOST_QUERIES


@pytest.mark.django_db
def test_a_try_that_cannot_be_counted_is_no_wrong_password(
    support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(counters, "take", refuse)
    client = Client(raise_request_exception=False)
    answer = client.post(LOGIN, {"login": "support", "password": PASSWORD})
    assert answer.status_code == 503
    assert "_auth_user_id" not in client.session
