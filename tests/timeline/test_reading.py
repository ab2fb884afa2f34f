"""How sources become one timeline: months of the lender's calendar, pages, gaps."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import Unreachable
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.timeline import REPAYMENTS
from lendingadmin.money.writes.models import Write
from lendingadmin.records.borrowers.timeline import find_writes
from lendingadmin.records.timeline import reading
from lendingadmin.records.timeline.reading import Month, Timeline, read_timeline
from lendingadmin.web.timeline import Found, Item, LiveReads, OwnRows, Source, Subject
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db
NAIROBI, KATHMANDU = ZoneInfo("Africa/Nairobi"), ZoneInfo("Asia/Kathmandu")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def subject_of(person: User, zone: ZoneInfo = NAIROBI) -> Subject:
    return Subject(LendingApp("kenya", "KES", zone), person, "B-1")


def live(key: str, *moments: str, fault: Exception | None = None) -> Source:
    """A source of the service that tells of these moments, or fails."""

    def finish(results: Sequence[Any]) -> Found:
        if fault:
            raise fault
        return Found([Item(at(one), f"{key} {one}") for one in moments], timezone.now())

    return Source(key, key, "clock", "lending.loans.get", prepare=lambda _: LiveReads((), finish))


def enter(by: User, *moments: str) -> None:
    for one in moments:
        row(by, borrower_id="B-1", created_at=at(one))


def shown(timeline: Timeline) -> list[str]:
    return [f"{one.item.moment.astimezone(UTC):%m-%d %H:%M}" for one in timeline.entries]


def counted(timeline: Timeline) -> dict[str, int]:
    return {str(month): count for month, count in timeline.months}


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("2026-11", Month(2026, 11)),
        ("2026-00", None),
        ("2026-13", None),
        ("2026-1", None),
        ("202611", None),
        ("2026-1²", None),
        ("0000-01", None),
        ("9999-12", None),
        ("-2026-11", None),
        ("", None),
    ],
)
def test_a_month_in_an_address(text: str, month: Month | None) -> None:
    assert Month.parse(text) == month
    assert month is None or str(month) == text


def test_a_month_leads_into_the_next_year() -> None:
    assert Month(2026, 12).next == Month(2027, 1)
    assert Month(2026, 11).next == Month(2026, 12)


def test_months_are_the_lenders(officer: User) -> None:
    # 22:00 UTC on the last of October is November in Nairobi; 18:20 is November in Kathmandu.
    enter(officer, "2026-10-31T20:59", "2026-10-31T21:00", "2026-10-31T18:14", "2026-10-31T18:15")
    here = read_timeline(subject_of(officer), [REPAYMENTS])
    assert counted(here) == {"2026-11": 1, "2026-10": 3}
    there = read_timeline(subject_of(officer, KATHMANDU), [REPAYMENTS])
    assert counted(there) == {"2026-11": 3, "2026-10": 1}
    assert shown(there) == ["10-31 21:00", "10-31 20:59", "10-31 18:15"]


def test_the_newest_month_is_open_and_sources_are_one_list(officer: User) -> None:
    enter(officer, "2026-10-02T08:00", "2026-10-04T08:00", "2026-09-01T08:00")
    found = live("loans", "2026-10-03T08:00", "2026-08-03T08:00")
    timeline = read_timeline(subject_of(officer), [found, REPAYMENTS])
    assert timeline.month == Month(2026, 10) and timeline.total == 5
    assert shown(timeline) == ["10-04 08:00", "10-03 08:00", "10-02 08:00"]
    assert [one.source.key for one in timeline.entries] == ["repayments", "loans", "repayments"]
    assert counted(timeline) == {"2026-10": 3, "2026-09": 1, "2026-08": 1}
    older = read_timeline(subject_of(officer), [found, REPAYMENTS], Month(2026, 8))
    assert shown(older) == ["08-03 08:00"]
    assert read_timeline(subject_of(officer), [REPAYMENTS], Month(2020, 1)).entries == []


def test_a_month_that_has_not_begun_is_not_the_one_that_opens(officer: User) -> None:
    ahead = f"{timezone.now() + timedelta(days=70):%Y-%m-%dT08:00}"
    timeline = read_timeline(subject_of(officer), [live("loans", ahead, "2026-08-03T08:00")])
    assert timeline.month == Month(2026, 8)
    assert len(timeline.months) == 2
    assert read_timeline(subject_of(officer), [live("loans", ahead)]).month is not None


def test_a_source_that_fails_is_a_gap_and_the_others_are_shown(officer: User) -> None:
    enter(officer, "2026-10-02T08:00")
    fault = Unreachable("nobody answers", operation="events.list")
    broken = live("events", fault=fault)
    timeline = read_timeline(subject_of(officer), [live("loans"), broken, REPAYMENTS])
    assert [one.source.key for one in timeline.gaps] == ["events"]
    assert [one.source.key for one in timeline.readings] == ["loans", "events", "repayments"]
    assert shown(timeline) == ["10-02 08:00"]
    assert read_timeline(subject_of(officer), [broken]).month is None


def test_a_year_that_no_calendar_has_is_left_out(officer: User) -> None:
    odd = live("loans", "9999-12-31T23:59", "0001-01-01T00:00", "2026-08-03T08:00")
    assert counted(read_timeline(subject_of(officer), [odd])) == {"2026-08": 1}


def test_pages_of_a_month_have_each_item_once(
    officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGE", 4)
    minutes = [f"2026-10-02T08:{number:02}" for number in range(9)]
    enter(officer, *minutes)
    twins = live("loans", "2026-10-02T08:05", "2026-10-02T08:05")
    pages, before = [], None
    for _ in range(4):
        page = read_timeline(subject_of(officer), [twins, REPAYMENTS], Month(2026, 10), before)
        pages.append(shown(page))
        before = page.older
        if before is None:
            break
    # The page that reaches a moment has all of it.
    assert [len(one) for one in pages] == [6, 4, 1]
    every = [text for page in pages for text in page]
    assert every == sorted(every, reverse=True) and len(every) == 11


def test_a_page_that_ends_among_rows_of_one_moment_loses_none(
    officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGE", 4)
    enter(officer, *[f"2026-10-02T09:{number:02}" for number in range(3)])
    enter(officer, *["2026-10-02T08:00"] * 5, "2026-10-02T07:00")
    first = read_timeline(subject_of(officer), [REPAYMENTS])
    second = read_timeline(subject_of(officer), [REPAYMENTS], Month(2026, 10), first.older)
    assert shown(first)[3:] == ["10-02 08:00"] * 5
    assert shown(second) == ["10-02 07:00"] and second.older is None


def test_rows_without_a_moment_are_on_no_timeline(officer: User) -> None:
    row(officer, borrower_id="B-1", created_at=at("2026-10-02T08:00"))

    def find(_subject: Subject) -> QuerySet[Repayment]:
        return Repayment.objects.all()

    source = Source(
        "sent",
        "Sent",
        "clock",
        "lending.loans.get",
        rows=(OwnRows(find, "sent_at", lambda one, _: Item(one.sent_at, "sent")),),
    )
    assert read_timeline(subject_of(officer), [source]).months == []


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name.startswith("loans.")])
def test_each_operation_on_a_loan_is_on_its_timeline(manager: User, operation: str) -> None:
    for account_id in ("L-1", "L-2"):
        Write.objects.create(
            idempotency_key=account_id,
            person=manager,
            app_id="kenya",
            operation=operation,
            subject=account_id,
        )
    (found,) = find_writes(subject_of(manager)._replace(account_id="L-1"))
    assert (found.operation, found.subject) == (operation, "L-1")
