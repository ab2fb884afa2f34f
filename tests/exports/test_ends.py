"""The trail says how an export ended."""

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.audit.models import Entry
from tests.exports.test_csv import LOANS, odd_service, table
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer

__all__ = ["odd_service"]
pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "support"
EXPORT = "/apps/kenya/loans/export.csv"


def list_outcomes() -> list[tuple[str, str]]:
    found = Entry.objects.filter(action="dashboard.export").order_by("pk")
    return [(one.outcome, one.detail) for one in found]


def loans_page(*keys: str, following: str | None = None) -> str:
    loans = [{"accountId": key} for key in keys]
    return simplejson.dumps({"loans": loans, "nextPageToken": following})


def test_whole(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(loans_page("1", "2", following="t")), reply(loans_page("3")))
    text = iter(desk.get(EXPORT).streaming_content)  # type: ignore[attr-defined]
    assert list_outcomes() == [("started", "")]
    assert len(list(text)) == 3
    assert list_outcomes()[1:] == [("done", "3 rows")]


def test_broken_off(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(loans_page("1", following="t")), refusal(500, "broken"))
    table(desk.get(EXPORT))
    assert list_outcomes()[1:] == [("broken", "1 row")]


def test_left_by_the_browser(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(loans_page("1", following="t")), reply(loans_page("2")))
    answer = desk.get(EXPORT)
    next(iter(answer.streaming_content))  # type: ignore[attr-defined]
    answer.close()
    assert list_outcomes()[1:] == [("stopped", "0 rows")]
