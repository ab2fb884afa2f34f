"""One answer for many: within two seconds one call, kept sealed, stamped by ourselves."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.test import RequestFactory
from django.utils import timezone

from lendingadmin.lending.errors import ServiceFault
from lendingadmin.lending.values import Assessment
from lendingadmin.web import polling, shared

pytestmark = pytest.mark.django_db


class Service:
    """Counts the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Assessment:
        self.calls += 1
        return Assessment({"assessmentId": "a-1", "score": Decimal("7.10")})


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def test_identical_questions_cost_one_call() -> None:
    service = Service()
    one, _ = shared.read("a", Assessment, service)
    two, _ = shared.read("a", Assessment, service)
    assert service.calls == 1
    assert one.raw == two.raw == {"assessmentId": "a-1", "score": Decimal("7.10")}
    shared.read("b", Assessment, service)
    assert service.calls == 2


def test_after_two_seconds_it_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    shared.read("a", Assessment, service)
    monkeypatch.setattr(shared, "GOOD_FOR", timedelta(0))
    shared.read("a", Assessment, service)
    assert service.calls == 2


def test_what_is_kept_shows_nothing() -> None:
    kept: list[tuple[str, str]] = []
    original = cache.set
    try:
        cache.set = lambda key, value, **_: kept.append((key, value))  # type: ignore[method-assign]
        shared.read("borrower-7", Assessment, Service())
    finally:
        cache.set = original  # type: ignore[method-assign]
    ((key, value),) = kept
    assert "borrower-7" not in key
    assert "a-1" not in value


def test_a_fault_is_not_kept() -> None:
    def fails() -> Assessment:
        raise ServiceFault

    with pytest.raises(ServiceFault):
        shared.read("a", Assessment, fails)
    service = Service()
    shared.read("a", Assessment, service)
    assert service.calls == 1


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
