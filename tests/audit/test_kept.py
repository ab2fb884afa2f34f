"""The page that says what is kept, since when and how long."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.audit import record
from lendingadmin.staff import retention
from lendingadmin.staff.models import User
from tests.repayments.rows import row


@pytest.mark.parametrize(
    ("role", "status"), [("viewer", 403), ("officer", 403), ("support", 403), ("manager", 200)]
)
def test_managers_read_it(
    role: str, status: int, people: dict[str, User], client_of: Callable[[User], Client]
) -> None:
    client = client_of(people[role])
    assert client.get("/audit/kept/").status_code == status
    link = 'href="/audit/kept/"'
    assert (link in client.get("/audit/").content.decode()) is (status == 200)


def test_it_says_how_much_since_when_how_long_and_by_what(
    manager: User, client_of: Callable[[User], Client], settings: Any
) -> None:
    settings.KEEP_ROWS_DAYS = {"": 0, "calls": 1000}
    settings.KEEP_TEXTS_DAYS = {"": 1825, "notes": 0}
    long_ago = timezone.now() - timedelta(days=500)
    for at in (long_ago, timezone.now()):
        row(manager, created_at=at, account_id="L-MARK")
    page = client_of(manager).get("/audit/kept/")
    rows = {one.table.labels[0]: one for one in page.context["rows"]}
    assert len(rows) == len(retention.TABLES)
    journal, calls = rows["repayments.Repayment"], rows["collections.Call"]
    assert (journal.row_count, journal.is_about, journal.since) == (2, False, long_ago)
    assert (journal.days, calls.days, calls.since) == (0, 1000, None)
    text = page.content.decode()
    for words in (
        "1,000 days, then they go, once they are over",
        "Texts 1,825 days",
        "Texts always",
        "KEEP_ROWS_DAYS calls",
        "SNAPSHOT_MONTH_ENDS",
        "Always: what was paid must be provable",
    ):
        assert words in text
    assert "L-MARK" not in text
    counts = [one.row_count for one in page.context["rows"]]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.django_db
def test_of_many_rows_it_says_about_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_EXACT", 3)
    table = next(one for one in retention.TABLES if one.kind == "audit")
    for number in range(3):
        record(None, "x", outcome=str(number))
    assert retention.describe(table)[1:3] == (3, False)
    for number in range(4):
        record(None, "x", outcome=str(number))
    assert retention.describe(table)[1:3] == (7, True)
