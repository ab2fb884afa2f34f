"""The audit page: who may read it, its filters, its pages."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.audit import record
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.office.audit import views
from tests.web.marks import list_marks


@pytest.fixture
def reader(manager: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(manager)


def subjects(client: Client, **query: Any) -> list[str]:
    return [entry.subject for entry in client.get("/audit/", query).context["entries"]]


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


@pytest.mark.parametrize(
    ("zone", "midnight", "name"),
    [("", 21, "Nairobi time"), ("UTC", 24, "UTC"), ("Asia/Tokyo", 15, "Tokyo time")],
)
def test_days_are_whole_in_the_readers_zone_and_both_ends_belong(
    zone: str, midnight: int, name: str, reader: Client, manager: User
) -> None:
    """A reader without a zone of their own has the lender's. `midnight` is its hour in UTC."""
    User.objects.filter(pk=manager.pk).update(zone=zone)
    begins = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=midnight)
    ends = begins + timedelta(days=2)
    for moment, subject in (
        (begins - timedelta(seconds=1), "before"),
        (begins, "start"),
        (ends - timedelta(seconds=1), "end"),
        (ends, "after"),
    ):
        Entry.objects.create(at=moment, action="x", outcome="done", subject=subject)
    page = reader.get("/audit/", {"since": "2026-03-02"}).content.decode()
    assert page.count(f'<span class="zone">({name})</span>') == 2
    assert subjects(reader, since="2026-03-02", until="2026-03-03") == ["end", "start"]
    assert subjects(reader, since="2026-03-04") == ["after"]
    assert subjects(reader, until="2026-03-01") == ["before"]


def test_bad_input_has_a_message_beside_its_field_and_is_kept(reader: Client) -> None:
    record(None, "x", subject="a", outcome="done")
    answer = reader.get("/audit/", {"since": "soon", "app": "nowhere", "before": "-1"})
    assert answer.status_code == 200
    assert {"since", "app", "before"} == set(answer.context["form"].errors)
    assert 'value="soon"' in answer.content.decode()
    # What the filter does not apply to would pass for what it finds.
    assert list(answer.context["entries"]) == []
    assert list_marks(answer, "finding") == ["wrong-filter"]


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
    page = reader.get("/audit/", {"until": "9999-12-31"})
    (refusal,) = page.context["form"].errors.as_data()["until"]
    assert refusal.code == "year"
    assert refusal.message in page.content.decode()


class TestOneRecord:
    """Any id finds what was done to that record, and nothing else."""

    ENTRIES = (
        ("loans.makeRepayment", "L-1 rp-7", "/apps/kenya/repayments/7/"),
        ("loans.makeRepayment", "L-1 rp-70", "/apps/kenya/repayments/70/"),
        ("loans.makeRepayment", "L-10 rp-8", "/apps/kenya/repayments/8/"),
        ("loans.delete", "L-1", "/apps/kenya/writes/abc/"),
        ("loans.delete", "L-1 rest", ""),
        ("loans.delete", "l-1", ""),
        ("borrowers.patch", "B-1", ""),
        ("borrowers.patch", "B-17", ""),
        ("assessments.create", "borrower:B-1", ""),
        ("events.create", "borrower:B-1 2026-03-01T08:00:00Z", ""),
        ("events.create", "borrower:B-17 2026-03-01T08:00:00Z", ""),
        ("people", "B-1x", "/people/3/"),
    )

    @pytest.mark.parametrize(
        ("record", "found"),
        [
            ("L-1", ["L-1", "L-1 rp-70", "L-1 rp-7"]),
            (" L-1 ", ["L-1", "L-1 rp-70", "L-1 rp-7"]),
            ("rp-7", ["L-1 rp-7"]),
            ("RP-7", ["L-1 rp-7"]),
            ("rp-9", []),
            ("B-1", ["borrower:B-1 2026-03-01T08:00:00Z", "borrower:B-1", "B-1"]),
            ("borrower:B-1 2026-03-01T08:00:00Z", ["borrower:B-1 2026-03-01T08:00:00Z"]),
            ("/apps/kenya/writes/abc/", ["L-1"]),
            ("/people/3/", ["B-1x"]),
            ("L", []),
            ("%", []),
            (".", []),
            ("rp-99999999999999999999", []),
            ("'; drop table", []),
        ],
    )
    def test_its_history(self, reader: Client, record: str, found: list[str]) -> None:
        for action, subject, url in self.ENTRIES:
            Entry.objects.create(
                action=action, subject=subject, url=url, app_id="kenya", outcome="done"
            )
        assert subjects(reader, record=record) == found

    def test_ids_of_two_apps_are_told_apart_by_the_app(self, reader: Client) -> None:
        for app_id in ("kenya", "ghana"):
            url = f"/apps/{app_id}/repayments/7/"
            Entry.objects.create(
                action="x", subject="L-1 rp-7", app_id=app_id, outcome=app_id, url=url
            )
        for key in ("L-1", "rp-7"):
            page = reader.get("/audit/", {"record": key, "app": "ghana"})
            assert [entry.outcome for entry in page.context["entries"]] == ["ghana"], key
            assert len(subjects(reader, record=key)) == 2

    def test_with_the_other_filters(self, reader: Client, support: User, officer: User) -> None:
        for person in (support, officer):
            for action in ("loans.delete", "loans.makeRepayment"):
                record(person, action, subject="L-1", outcome="done", detail=person.username)
        asked = {"record": "L-1", "person": "officer", "action": "loans.delete"}
        (entry,) = reader.get("/audit/", asked).context["entries"]
        assert (entry.username, entry.action) == ("officer", "loans.delete")

    def test_it_is_paged(self, reader: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(views, "PAGE", 2)
        for number in range(3):
            record(None, "x", subject=f"L-1 rp-{number}", outcome="done")
        first = reader.get("/audit/", {"record": "L-1"})
        assert [entry.subject for entry in first.context["entries"]] == ["L-1 rp-2", "L-1 rp-1"]
        second = reader.get(first.context["pager"]["next_url"])
        assert [entry.subject for entry in second.context["entries"]] == ["L-1 rp-0"]


def test_actions_and_outcomes_are_told_in_words(reader: Client, support: User) -> None:
    record(
        support,
        "loans.makeRepayment",
        subject="L-1 rp-7",
        outcome="needs checking",
        saved="unknown",
        request_id="req-1",
        app_id="kenya",
    )
    page = reader.get("/audit/").content.decode()
    for words in (
        "Recorded a repayment",
        "Needs checking",
        "whether this action was saved.",
    ):
        assert words in page
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    assert "req-1" in body
    assert "loans.makeRepayment" not in body


def test_from_where_somebody_acted_is_folded(reader: Client) -> None:
    entry = {"action": "x", "outcome": "done"}
    Entry.objects.create(**entry)
    assert "<details><summary>" not in reader.get("/audit/").content.decode()
    Entry.objects.create(**entry, address="203.0.113.7", browser="<b>Firefox")
    folded = reader.get("/audit/").content.decode().partition("<details><summary>")[2]
    assert "203.0.113.7 &lt;b&gt;Firefox</small></details>" in folded


def test_times_are_the_readers(reader: Client, manager: User) -> None:
    moment = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
    Entry.objects.create(at=moment, action="x", outcome="done")
    assert "2 Mar 2026, 09:30" in reader.get("/audit/").content.decode()
    User.objects.filter(pk=manager.pk).update(zone="Asia/Tokyo")
    page = reader.get("/audit/").content.decode()
    assert "2 Mar 2026, 15:30" in page and "Tokyo time" in page


def test_an_action_of_an_old_address_stays_chosen(reader: Client) -> None:
    page = reader.get("/audit/", {"action": "gone"}).content.decode()
    assert '<option value="gone" selected>gone</option>' in page
