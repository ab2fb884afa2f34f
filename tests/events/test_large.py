"""Events of 4.7 MB: a page of them is more than one answer may have, and none is lost for it."""

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.events.search import build_url
from tests.conftest import ClientOf
from tests.events.samples import DOMAIN
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db

COUNT = 8
# 47 messages of 100 kB.
MESSAGES, LENGTH = 47, 100_000


@pytest.fixture
def stamps(book: Caller) -> list[str]:
    """The times of the events of borrower `b`, in the order in which they came."""
    now = datetime.now(UTC).replace(microsecond=0)
    times = [now - timedelta(hours=COUNT - number) for number in range(COUNT)]
    for at in times:
        texts = [
            {
                "address": "MPESA",
                "direction": "inbound",
                "smsId": str(number),
                "read": True,
                "timestamp": int(at.timestamp() * 1000) - 1000,
                "rawBody": "x" * LENGTH,
            }
            for number in range(MESSAGES)
        ]
        sent = {
            "accountId": "borrower:b",
            "eventType": "personal_data.captured",
            "timestamp": at.isoformat(),
            "category": "sms",
            "data": [{"kind": f"{DOMAIN}/sms", "values": texts}],
        }
        answer = book.post("/events", sent)
        assert answer.status == 200, answer.text[:300]
    return [at.strftime("%Y-%m-%dT%H:%M:%S.000Z") for at in times]


def walk(desk: Client, address: str, next_link: str, wanted: Sequence[str]) -> list[list[str]]:
    """Which of the wanted addresses each page has, in its order, from page to next page."""
    pages = []
    while address:
        answer = desk.get(address)
        assert answer.status_code == 200
        text = unescape(answer.content.decode())
        pages.append(sorted((one for one in wanted if one in text), key=text.index))
        found = re.search(next_link, text)
        address = found[1] if found else ""
    return pages


def test_large_events_are_all_there(
    client_of: ClientOf, manager: User, app: LendingApp, stamps: list[str]
) -> None:
    desk, here = client_of(manager), f"/apps/{app.app_id}"
    keys = [("borrower:b", "personal_data.captured", stamp) for stamp in stamps]
    wanted = [build_url(app.app_id, *key) for key in keys]
    listed = walk(desk, f"{here}/events/?pageSize=250", r'href="([^"]*)" rel="next"', wanted)
    assert [one for page in listed for one in page] == wanted[::-1]
    assert [len(page) for page in listed] == [3, 3, 2]
    panel = walk(
        desk, f"{here}/borrowers/b/panels/events", r'href="([^"]*)"[^>]*>Search further', wanted
    )
    assert [one for page in panel for one in page] == wanted[::-1]
    export = b"".join(desk.get(f"{here}/events/export.csv?technical=1").streaming_content)  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(export.decode("utf-8-sig"))))
    assert [row["timestamp"] for row in rows] == stamps[::-1]
    one = desk.get(wanted[3]).content.decode()
    assert f"{MESSAGES} messages" in one
