"""What the home page says of the count that is due, that goes on, and that has just ended."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import walks
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import Snapshot
from tests.portfolio.conftest import HOME, counted, mark, read_page, read_summary, words
from tests.portfolio.service import BookService, loan

pytestmark = pytest.mark.django_db
State = Snapshot.State


# --- the next one ---------------------------------------------------------------------------


def test_home_says_when_the_book_is_counted_again(
    desk: Client, service: BookService, settings: Any
) -> None:
    counted()
    html = read_page(desk)
    assert mark("next") not in html and mark("by-itself") not in html
    settings.SNAPSHOT_EVERY = timedelta(hours=6, minutes=5)
    assert ">in 6 h</time>" in read_page(desk).partition(mark("next"))[2].partition("</span>")[0]
    row = tasks.start("kenya", None)
    html = read_page(desk)
    assert mark("next") not in html and mark("by-itself") not in html
    snapshot_job.CountWalk(row).end(State.FAILED, "The lending service had a fault.")  # type: ignore[arg-type]
    Snapshot.objects.filter(pk=row.pk).update(  # type: ignore[union-attr]
        began_at=timezone.now() - timedelta(minutes=49, seconds=30)
    )
    html = read_page(desk)
    assert mark("by-itself") in html and ">in 10 min</time>" in html
    Snapshot.objects.filter(pk=row.pk).update(state=State.STOPPED)  # type: ignore[union-attr]
    assert mark("by-itself") in read_page(desk)


def test_after_a_stop_the_desk_says_when_it_is_counted_again(
    desk: Client, service: BookService, settings: Any, officer: User
) -> None:
    settings.SNAPSHOT_EVERY = timedelta(hours=6, minutes=5)
    tasks.start("kenya", officer)
    snapshot_job.stop("kenya", officer)
    html = read_page(desk)
    assert snapshot_job.STOPPED_BY % {"person": "officer"} in html and mark("stopped") in html
    assert mark("by-itself") in html and ">in 6 h</time>" in html


def test_a_count_that_is_due_and_does_not_begin_is_told(
    desk: Client, service: BookService, settings: Any
) -> None:
    settings.SNAPSHOT_EVERY = timedelta(hours=6)
    counted()
    Snapshot.objects.update(began_at=timezone.now() - timedelta(hours=9, minutes=1))
    html = read_page(desk)
    assert mark("missed") in html and ">3 h ago</time>" in html
    Snapshot.objects.update(began_at=timezone.now() - timedelta(hours=6, seconds=20))
    assert mark("missed") not in read_page(desk)


def test_one_loan_is_one_loan(desk: Client, service: BookService) -> None:
    service.loans = [loan(0), {"accountId": ""}]
    counted()
    text = words(read_page(desk))
    assert read_summary(desk).snapshot.loans_read == 1 and "1 loan" in text
    assert "1 item of the service's list could not be read as a loan and is not included." in text
    assert "Updated: 1 loan." in words(read_page(desk, f"{HOME}book/progress"))


# --- while it counts -----------------------------------------------------------------------


def test_the_progress_polls_until_it_ends(
    desk: Client, service: BookService, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted()
    row = tasks.start("kenya", None)
    monkeypatch.setattr(walks, "SLICE", 0.0)
    assert snapshot_job.CountWalk.run_slice(row.pk) == timedelta(0)  # type: ignore[union-attr]
    monkeypatch.undo()
    html = read_page(desk)
    assert "2 of about 5" in words(html)
    assert 'hx-trigger="load delay:1s, poll"' in html
    assert '<progress id="so-far" value="2" max="5">' in html
    assert f'action="{HOME}book/count"' not in html and f'action="{HOME}book/stop"' in html
    fragment = read_page(desk, f"{HOME}book/progress?polls=5")
    assert 'hx-trigger="load delay:2s, poll"' in fragment
    assert "polls=6" in fragment
    assert len(fragment) < 3000
    assert "<form" not in fragment and "<button" not in fragment
    assert snapshot_job.CountWalk.run_slice(row.pk) is None  # type: ignore[union-attr]
    final = read_page(desk, f"{HOME}book/progress?polls=6")
    assert "data-poll" not in final
    assert 'data-announce="Updated: 5 loans"' in final
    assert f'<a href="{HOME}">' in final
    assert 'id="snapshot-acts" hx-swap-oob="delete"' in final


def test_without_an_expectation_it_says_how_many_so_far(desk: Client, service: BookService) -> None:
    row = tasks.start("kenya", None)
    Snapshot.objects.filter(pk=row.pk).update(loans_read=4812)  # type: ignore[union-attr]
    html = read_page(desk)
    assert "4,812 so far" in words(html)
    assert '<progress id="so-far" >' in html


def test_more_than_expected_is_a_full_bar(desk: Client, service: BookService) -> None:
    counted()
    row = tasks.start("kenya", None)
    Snapshot.objects.filter(pk=row.pk).update(loans_read=7)  # type: ignore[union-attr]
    assert '<progress id="so-far" value="7" max="7">' in read_page(desk)


def test_it_says_so_where_no_worker_takes_it_up(desk: Client, service: BookService) -> None:
    tasks.start("kenya", None)
    assert mark("unread") not in read_page(desk)
    Snapshot.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    html = read_page(desk)
    # Nothing is said to have been read that was not.
    assert mark("unread") in html and mark("still") not in html
    Snapshot.objects.update(version=1)
    html = read_page(desk)
    assert mark("still") in html and ">5 min ago</time>" in html
    Snapshot.objects.update(began_at=timezone.now() - timedelta(hours=2))
    fragment = read_page(desk, f"{HOME}book/progress?polls=900")
    assert "data-poll" not in fragment
    assert mark("given-up") in fragment


def test_a_fault_under_way_is_told(desk: Client, service: BookService) -> None:
    tasks.start("kenya", None)
    Snapshot.objects.update(why="The lending service had a fault.")
    assert "could not be read: The lending service had a fault." in words(read_page(desk))


@pytest.mark.parametrize("state", ["stopped", "failed"])
def test_the_last_fragment_says_how_it_ended(
    state: str, desk: Client, service: BookService
) -> None:
    Snapshot.objects.create(app_id="kenya", state=state, why="Because.")
    fragment = read_page(desk, f"{HOME}book/progress")
    assert mark(state) in fragment
    assert "data-poll" not in fragment


def test_progress_of_nothing_is_no_page(desk: Client, service: BookService) -> None:
    assert desk.get(f"{HOME}book/progress").status_code == 404
    assert desk.get("/apps/nowhere/book/progress").status_code == 404
    assert desk.post("/apps/nowhere/book/count").status_code == 404
