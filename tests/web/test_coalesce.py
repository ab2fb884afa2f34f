"""One answer for many: at once or within two seconds one call, kept sealed, stamped by us."""

import time
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
import redis
import simplejson
from django.test import RequestFactory
from django.utils import timezone

from lendingadmin.core.caching import shared
from lendingadmin.lending.errors import (
    BadRequest,
    LendingError,
    NotAllowed,
    ServiceFault,
    Throttled,
)
from lendingadmin.lending.values import Assessment
from lendingadmin.web import coalesce, polling
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer, Wire
from tests.processes import run_workers
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
REDIS = "redis://127.0.0.1:6379/5"


class Service:
    """Counts the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Assessment:
        self.calls += 1
        return Assessment({"assessmentId": "a-1", "score": Decimal("7.10")})


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    shared.clear()


def test_identical_questions_cost_one_call() -> None:
    service = Service()
    one, _ = coalesce.read("a", Assessment, service)
    two, _ = coalesce.read("a", Assessment, service)
    assert service.calls == 1
    assert one.raw == two.raw == {"assessmentId": "a-1", "score": Decimal("7.10")}
    coalesce.read("b", Assessment, service)
    assert service.calls == 2


def test_after_two_seconds_it_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    coalesce.read("a", Assessment, service)
    monkeypatch.setattr(coalesce, "GOOD_FOR", timedelta(0))
    coalesce.read("a", Assessment, service)
    assert service.calls == 2


def test_what_is_kept_shows_nothing() -> None:
    kept: list[tuple[str, str]] = []
    original = shared.set
    try:
        shared.set = lambda key, value, **_: kept.append((key, value))  # type: ignore[method-assign]
        coalesce.read("borrower-7", Assessment, Service())
    finally:
        shared.set = original  # type: ignore[method-assign]
    ((key, value),) = kept
    assert "borrower-7" not in key
    assert "a-1" not in value


def test_a_fault_is_not_kept() -> None:
    def fails() -> Assessment:
        raise ServiceFault

    with pytest.raises(ServiceFault):
        coalesce.read("a", Assessment, fails)
    service = Service()
    coalesce.read("a", Assessment, service)
    assert service.calls == 1


class SlowService(Service):
    """Takes half a second to answer."""

    def __init__(self, error: LendingError | None = None) -> None:
        super().__init__()
        self.error = error

    def __call__(self) -> Assessment:
        time.sleep(0.5)
        answer = super().__call__()
        if self.error:
            raise self.error
        return answer


def test_identical_questions_at_the_same_moment_cost_one_call() -> None:
    service = SlowService()
    found = at_once(6, lambda _: coalesce.read("a", Assessment, service)[0])
    assert service.calls == 1
    assert found == [Assessment({"assessmentId": "a-1", "score": Decimal("7.10")})] * 6


def test_those_who_wait_are_given_the_same_error_and_the_next_asks_again() -> None:
    service = SlowService(ServiceFault("A fault."))
    found = at_once(6, lambda _: coalesce.read("a", Assessment, service))
    assert service.calls == 1
    assert [type(one) for one in found] == [ServiceFault] * 6
    service.error = None
    coalesce.read("a", Assessment, service)
    assert service.calls == 2


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalesce, "LONGEST_WAIT", 0.1)
    service = SlowService()
    found = at_once(2, lambda _: coalesce.read("a", Assessment, service)[0])
    assert service.calls == 1
    assert sorted(type(one).__name__ for one in found) == ["Assessment", "Throttled"]


def test_a_fault_of_our_own_leaves_nothing_behind() -> None:
    def fails() -> Assessment:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        coalesce.read("a", Assessment, fails)
    service = Service()
    coalesce.read("a", Assessment, service)
    assert service.calls == 1


def test_a_process_that_died_holds_nobody_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalesce, "LONGEST_WAIT", 0.1)
    taken: list[str] = []
    add = shared.add
    monkeypatch.setattr(shared, "add", lambda key, *a, **k: taken.append(key) or add(key, *a, **k))
    coalesce.read("a", Assessment, Service())
    shared.clear()
    shared.add(taken[0], "somebody-who-died", timeout=30)
    with pytest.raises(Throttled):
        coalesce.read("a", Assessment, Service())
    shared.delete(taken[0])
    assert coalesce.read("a", Assessment, Service())[0].assessment_id == "a-1"


@pytest.fixture(params=["database", "redis"])
def shared_cache(request: pytest.FixtureRequest) -> str:
    """The address of a cache that several processes share."""
    if request.param == "database":
        return "dbcache://cache"
    try:
        redis.Redis.from_url(REDIS, socket_connect_timeout=1).ping()
    except redis.ConnectionError:
        pytest.skip(f"no Redis answers at {REDIS}")
    return REDIS


@pytest.mark.drill
@pytest.mark.parametrize("well", [True, False], ids=["answered", "refused"])
def test_two_processes_make_one_call(
    well: bool, shared_cache: str, fault_server: FaultServer
) -> None:
    def answer(wire: Wire) -> bool:
        wire.pause(1.0)
        return (reply({"assessmentId": "a-1"}) if well else refusal(400, "No."))(wire)

    fault_server.on("/assessments/a-1", answer)
    key, worker = uuid4().hex, "tests.web.coalesce_worker"
    got = run_workers(worker, 2, fault_server.url, key, CACHE_URL=shared_cache)
    assert got == (["a-1"] if well else [f"{BadRequest.__name__}:No."]) * 6
    assert fault_server.hits() == 1


@pytest.mark.parametrize(
    ("query", "ago", "waiting", "delay"),
    [
        ("", 0, True, 1),
        ("?polls=0", 1, True, 2),
        ("?polls=3", 9, True, 15),
        ("?polls=99", 80, True, 15),
        ("?polls=odd", 1, True, 2),
        ("?polls=3", 91, True, None),
        ("?polls=3", 9, False, None),
    ],
)
def test_when_a_page_asks_again(query: str, ago: int, waiting: bool, delay: int | None) -> None:
    since = timezone.now() - timedelta(seconds=ago)
    request = RequestFactory().get(f"/{query}")
    found = polling.poll(request, since, timedelta(seconds=90), waiting=waiting)
    assert found.delay == delay
    assert found.overdue == (ago > 90)


def test_a_cache_that_takes_no_writes_costs_the_sharing_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A database cache says False to `add`, and nothing to `set`, when it is read-only."""
    backend = type(shared._connections[shared._alias])
    monkeypatch.setattr(backend, "add", lambda *_, **__: False)
    service = Service()
    for calls in (1, 2):
        monkeypatch.setattr(coalesce, "GOOD_FOR", timedelta(0))
        found, _ = coalesce.read("a", Assessment, service)
        assert (found.raw["assessmentId"], service.calls) == ("a-1", calls)


def test_a_shared_error_is_whole() -> None:
    error = NotAllowed("no", operation="borrowers.getOffers", status=403)
    error.scopes, error.permission = ("platform.lending",), "lending.borrowers.getOffers"
    shared = coalesce._read_error(simplejson.loads(coalesce._write_error(error)))
    assert isinstance(shared, NotAllowed)
    assert (shared.scopes, shared.permission, shared.status) == (
        ("platform.lending",),
        "lending.borrowers.getOffers",
        403,
    )
