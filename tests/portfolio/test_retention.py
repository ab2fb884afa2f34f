"""Which snapshots are kept, and that the others go some rows at a time."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.portfolio import retention
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import list_complete
from tests.portfolio.conftest import LISTS, counted, read_page
from tests.portfolio.service import BookService

NAIROBI = ZoneInfo("Africa/Nairobi")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def kept(*ended: datetime) -> set[int]:
    return retention.list_kept(list(enumerate(ended)), NOW, NAIROBI)


def ago(**parts: float) -> datetime:
    return NOW - timedelta(**parts)


def test_all_of_the_last_day_stay() -> None:
    assert kept(*(ago(hours=n) for n in range(24))) == set(range(24))


def test_then_the_last_of_each_day_of_the_lender() -> None:
    # In Nairobi 21:30 UTC is half past midnight of the next day.
    first, late, next_day = (
        datetime(2026, 11, 10, 8, 0, tzinfo=UTC),
        datetime(2026, 11, 10, 20, 30, tzinfo=UTC),
        datetime(2026, 11, 10, 21, 30, tzinfo=UTC),
    )
    assert kept(ago(minutes=1), ago(minutes=2), first, late, next_day) == {0, 1, 3, 4}


def test_then_the_last_of_each_month_for_two_years() -> None:
    moments = [ago(minutes=1), ago(minutes=2)]
    moments += [datetime(2026, 8, 5, tzinfo=UTC), datetime(2026, 8, 30, tzinfo=UTC)]
    moments += [datetime(2024, 11, 3, tzinfo=UTC), datetime(2024, 10, 31, 20, tzinfo=UTC)]
    assert kept(*moments) == {0, 1, 3, 4}


def test_a_month_ends_in_the_lender_s_zone() -> None:
    # 31 August 22:00 UTC is September in Nairobi, so it is not the last of August.
    august, september = datetime(2026, 8, 31, 20, tzinfo=UTC), datetime(2026, 8, 31, 22, tzinfo=UTC)
    assert kept(ago(minutes=1), ago(minutes=2), august, september) == {0, 1, 2, 3}


def test_the_newest_and_the_one_before_stay_however_old() -> None:
    assert kept(ago(days=3000), ago(days=2999), ago(days=2998)) == {1, 2}


@given(st.lists(st.integers(0, 400), max_size=60))
def test_thinning_again_takes_nothing_more(days: list[int]) -> None:
    moments = [(number, ago(days=day)) for number, day in enumerate(days)]
    once = retention.list_kept(moments, NOW, NAIROBI)
    again = retention.list_kept([one for one in moments if one[0] in once], NOW, NAIROBI)
    assert again == once
    assert len(once) <= 62


def snapshot(state: str, ended: datetime, loans: int = 3) -> Snapshot:
    row = Snapshot.objects.create(app_id="kenya", state=state, ended_at=ended)
    SnapshotLoan.objects.bulk_create(
        SnapshotLoan(snapshot=row, account_id=f"L-{n}") for n in range(loans)
    )
    return row


@pytest.mark.django_db
def test_the_loans_go_before_their_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr(retention, "COUNTS_AT_ONCE", 2)
    old = snapshot("done", now - timedelta(days=1000), 5)
    failed = snapshot("failed", now - timedelta(days=2))
    stopped = snapshot("stopped", now)
    stays = [snapshot("done", now - timedelta(hours=n)) for n in (2, 1)]
    counting = Snapshot.objects.create(app_id="kenya")
    SnapshotLoan.objects.create(snapshot=counting, account_id="L-1")
    monkeypatch.setattr(retention, "LONGEST", 0.0)
    assert retention.prune() is False
    assert old.loans.count() == 3
    # A list that is half gone is not shown: it would not add up to its figure.
    assert old not in list_complete("kenya")
    monkeypatch.setattr(retention, "LONGEST", 10.0)
    assert retention.prune() is True
    assert set(Snapshot.objects.all()) == {stopped, *stays, counting}
    assert not Snapshot.objects.filter(pk__in=(old.pk, failed.pk)).exists()
    assert not stopped.loans.exists()
    # Of the counts that are kept, the newest alone keeps its loans.
    assert [row.loans.count() for row in (*stays, counting)] == [0, 3, 1]
    assert [row.has_loans for row in list_complete("kenya")] == [True, False]


@pytest.mark.django_db
def test_a_count_that_ends_while_others_are_pruned_keeps_its_loans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = timezone.now()
    before = snapshot("done", now - timedelta(hours=2))
    ended = []

    def list_ended(app_id: str) -> list[tuple[int, datetime]]:
        found = [(before.pk, now - timedelta(hours=2))]
        ended.append(snapshot("done", now))
        return found

    monkeypatch.setattr(retention, "list_ended", list_ended)
    retention.prune()
    assert ended and all(row.loans.count() == 3 for row in ended)
    assert all(Snapshot.objects.get(pk=row.pk).has_loans for row in ended)


def test_the_loans_of_so_many_month_ends_are_kept_beside_the_newest() -> None:
    moments = [
        ago(minutes=16),
        ago(days=1),
        # 31 October 22:00 UTC is November in Nairobi.
        datetime(2026, 10, 31, 22, tzinfo=UTC),
        datetime(2026, 10, 31, 20, tzinfo=UTC),
        datetime(2026, 10, 30, tzinfo=UTC),
        datetime(2026, 9, 30, tzinfo=UTC),
    ]
    ended = list(enumerate(moments))

    def with_loans(month_ends: int, now: datetime = NOW) -> set[int]:
        return retention.list_with_loans(ended, month_ends, now, NAIROBI)

    assert with_loans(0) == {0}
    assert with_loans(1) == {0, 3}
    assert with_loans(9) == {0, 3, 5}
    # A page that began on the count before may still read it.
    assert with_loans(0, ago(minutes=1)) == {0, 1}
    assert retention.list_with_loans([], 9, NOW, NAIROBI) == set()


@pytest.mark.django_db
def test_figures_of_older_counts_stay_and_lead_nowhere(desk: Client, service: BookService) -> None:
    old, newest = counted(), counted()
    Snapshot.objects.update(ended_at=timezone.now() - timedelta(minutes=16))
    assert retention.prune() is True
    assert old.loans.count() == 0 and newest.loans.count() == 5
    html = read_page(desk)
    assert f"count={newest.pk}" in html and f"count={old.pk}" not in html
    answer = desk.get(LISTS, {"show": "figure-overdue", "count": old.pk})
    assert answer.status_code == 404
    assert answer.context["newest_url"] == f"{LISTS}?show=figure-overdue"
    assert f'href="{LISTS}?show=figure-overdue"' in answer.content.decode()
