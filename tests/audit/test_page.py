"""The audit page: who may read it, its filters, its pages."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from lendingadmin.audit import record, views
from lendingadmin.audit.models import Entry
from lendingadmin.staff.models import User


@pytest.fixture
def reader(manager: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(manager)


def subjects(client: Client, **query: Any) -> list[str]:
    return [entry.subject for entry in client.get("/audit/", query).context["entries"]]


def at(day: int, hour: int, subject: str) -> None:
    moment = datetime(2026, 3, day, hour, tzinfo=UTC)
    Entry.objects.create(at=moment, action="x", outcome="done", subject=subject)


@pytest.mark.parametrize(
    ("role", "status"), [("viewer", 403), ("officer", 403), ("support", 403), ("manager", 200)]
)
def test_managers_read_it(
    role: str, status: int, people: dict[str, User], client_of: Callable[[User], Client]
) -> None:
    assert client_of(people[role]).get("/audit/").status_code == status


def test_newest_first(reader: Client) -> None:
    for name in ("first", "second", "third"):
        record(None, "x", subject=name, outcome="done")
    assert subjects(reader) == ["third", "second", "first"]


def test_filters(reader: Client, support: User, officer: User) -> None:
    record(support, "lending.loans.makeRepayment", app_id="kenya", subject="a", outcome="recorded")
    record(support, "lending.loans.makeRepayment", app_id="ghana", subject="b", outcome="refused")
    record(officer, "sign-in", subject="c", outcome="done")
    assert subjects(reader, person="SUPPORT") == ["b", "a"]
    assert subjects(reader, action="sign-in") == ["c"]
    assert subjects(reader, app="kenya") == ["a"]
    assert subjects(reader, person="support", app="ghana") == ["b"]
    assert subjects(reader, person="nobody") == []
    assert subjects(reader, person="'; drop table", action="%") == []


def test_days_are_whole_and_both_ends_belong(reader: Client) -> None:
    at(1, 23, "before")
    at(2, 0, "start")
    at(3, 23, "end")
    at(4, 0, "after")
    assert subjects(reader, since="2026-03-02", until="2026-03-03") == ["end", "start"]
    assert subjects(reader, since="2026-03-04") == ["after"]
    assert subjects(reader, until="2026-03-01") == ["before"]


def test_bad_input_has_a_message_beside_its_field_and_is_kept(reader: Client) -> None:
    record(None, "x", subject="a", outcome="done")
    answer = reader.get("/audit/", {"since": "soon", "app": "nowhere", "before": "-1"})
    assert answer.status_code == 200
    assert {"since", "app", "before"} == set(answer.context["form"].errors)
    page = answer.content.decode()
    assert 'value="soon"' in page
    # What the filter does not apply to would pass for what it finds.
    assert list(answer.context["entries"]) == []
    assert "Correct what is marked above" in page


def test_pages_hold_still_while_entries_are_written(
    reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE", 2)
    for number in range(5):
        record(None, "x", subject=str(number), outcome="done")
    first = reader.get("/audit/", {"action": "x"})
    assert subjects(reader, action="x") == ["4", "3"]
    record(None, "x", subject="new", outcome="done")
    second = reader.get(first.context["pager"]["next_url"])
    assert [entry.subject for entry in second.context["entries"]] == ["2", "1"]
    assert "action=x" in second.context["pager"]["next_url"]
    last = reader.get(second.context["pager"]["next_url"])
    assert [entry.subject for entry in last.context["entries"]] == ["0"]
    assert last.context["pager"]["next_url"] == ""
    assert last.context["pager"]["first_url"] == "/audit/?action=x"


def test_filtering_anew_starts_at_the_top(reader: Client) -> None:
    record(None, "x", subject="a", outcome="done")
    page = reader.get("/audit/", {"before": "1"}).content.decode()
    assert 'name="before"' not in page


def test_what_people_wrote_is_shown_as_text(reader: Client) -> None:
    record(None, "x", subject="<script>alert(1)</script>", outcome="done")
    page = reader.get("/audit/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_day_at_the_end_of_the_calendar_is_answered(reader: Client) -> None:
    page = reader.get("/audit/", {"until": "9999-12-31"}).content.decode()
    assert "Give a year between 1900 and 9998." in page
