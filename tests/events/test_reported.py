"""Which kinds of data an account has, and which are missing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.values import Event
from lendingadmin.records.events.kinds import KINDS
from lendingadmin.records.events.reported import count_kinds
from tests.events import samples
from tests.faults.behaviours import refusal, reset
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

UNTIL = datetime(2026, 11, 1, tzinfo=UTC)


def event(*kinds: tuple[str, int], days: float = 1) -> Event:
    """An event so many days before, with so many values of each kind."""
    when = (UNTIL - timedelta(days=days)).isoformat()
    data = [{"kind": f"x/{kind}", "values": [{}] * count} for kind, count in kinds]
    return Event({"accountId": "borrower:b", "timestamp": when, "data": data})


@pytest.mark.parametrize(
    ("events", "counted"),
    [
        ([], {}),
        ([event(("sms", 2), ("contact", 1))], {"sms": 2, "contact": 1}),
        ([event(("sms", 2)), event(("sms", 3), days=2)], {"sms": 5}),
        ([event(("sms", 0))], {}),
        ([event(("fax", 4))], {}),
        ([event(("sms", 1), days=-0.1)], {}),
        ([event(("sms", 1), days=0)], {"sms": 1}),
        ([event(("sms", 1), days=183)], {"sms": 1}),
        ([event(("sms", 1), days=184)], {}),
        ([Event({"timestamp": 5, "data": [1]}), Event({})], {}),
        ([Event({"timestamp": "2026-10-31T00:00:00Z", "data": [{"kind": 1}, 7]})], {}),
    ],
)
def test_values_are_counted_by_kind(events: list[Event], counted: dict[str, int]) -> None:
    found = count_kinds(events, UNTIL)
    assert [one.kind.key for one in found] == [
        "sms", "contact", "device/battery", "device/location", "device/app"
    ]  # fmt: skip
    assert {one.kind.key: one.values for one in found if one.values} == counted


def test_the_last_of_a_kind_is_the_latest() -> None:
    found = count_kinds([event(("sms", 1), days=3), event(("sms", 1), days=2)], UNTIL)
    assert found[0].latest == UNTIL - timedelta(days=2)


@pytest.fixture
def proxy(book: Caller, fault_proxy: Any, settings: Any) -> FaultServer:
    standing: FaultServer = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    return standing


def there(app: LendingApp, **query: str) -> Any:
    return f"/apps/{app.app_id}/events/reported", {"accountId": "borrower:b"} | query


@pytest.mark.django_db
class TestFragment:
    def test_says_what_is_missing(self, desk: Client, app: LendingApp, book: Caller) -> None:
        every = ", ".join(kind.many for kind in KINDS.values())
        page = desk.get(*there(app)).content.decode()
        assert 'data-finding="missing"' in page and f"{every}." in page
        assert book.post("/events", samples.body()).status == 200
        page = desk.get(*there(app)).content.decode()
        assert 'data-finding="complete"' in page and "2 messages" in page
        page = desk.get(*there(app, until="2020-01-01T00:00:00.000Z")).content.decode()
        assert 'data-finding="missing"' in page and f"{every}." in page

    @pytest.mark.parametrize("behaviour", [reset(), refusal(503), refusal(400, "no filter")])
    def test_a_service_that_is_gone_is_told_in_it(
        self, desk: Client, app: LendingApp, proxy: FaultServer, behaviour: Any
    ) -> None:
        proxy.on("/events?", behaviour)
        answer = desk.get(*there(app))
        assert answer.status_code == 200
        assert list_marks(answer, "finding") == ["unread"]

    @pytest.mark.parametrize("query", [{"accountId": ""}, {"accountId": "a b"}, {"until": "x"}])
    def test_an_odd_address_is_no_fault(
        self, desk: Client, app: LendingApp, book: Caller, query: dict[str, str]
    ) -> None:
        assert desk.get(*there(app, **query)).status_code == 200
