"""Counting the book before a service that fails, by several at once, and by workers that die."""

import logging
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties, walks
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import Snapshot
from tests.faults.behaviours import hang, refusal
from tests.portfolio.conftest import counted, outstanding
from tests.portfolio.service import BookService, loan
from tests.repayments.threads import at_once
from tests.repayments.workers import soon, worker

pytestmark = pytest.mark.django_db(transaction=True)
State = Snapshot.State


# --- what goes wrong -----------------------------------------------------------------------


def test_a_fault_in_the_middle_is_tried_again_later(
    service: BookService, caplog: pytest.LogCaptureFixture
) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    service.server.once("pageToken=2", *[refusal(503, "Anne is down")] * 3)
    with caplog.at_level(logging.INFO):
        assert snapshot_job.CountWalk.run_slice(row.pk) == walks.PAUSES[0]
    row.refresh_from_db()
    assert (row.state, row.loans_read, row.version) == (State.RUNNING, 2, 1)
    assert "fault" in row.why
    assert "Anne" not in row.why + caplog.text
    assert snapshot_job.CountWalk.run_slice(row.pk) is None
    row.refresh_from_db()
    assert (row.state, row.why, outstanding(row)) == (State.DONE, "", [300, 5])


def test_a_fault_that_stays_fails_and_the_last_good_count_stays(service: BookService) -> None:
    good = counted()
    service.server.on("pageToken=2", refusal(500, "Anne is down"))
    row = tasks.start("kenya", None)
    assert row is not None
    pauses = [snapshot_job.CountWalk.run_slice(row.pk) for _ in range(walks.TRIES)]
    assert pauses == [*walks.PAUSES, None]
    row.refresh_from_db()
    assert (row.state, row.loans_read) == (State.FAILED, 2)
    assert "fault" in row.why and "Anne" not in row.why
    assert snapshot_job.list_complete("kenya").first() == good


def test_a_token_that_is_refused_begins_anew_once(service: BookService) -> None:
    service.tokens_hold = False
    row = counted()
    assert row.state == State.FAILED
    assert row.why
    again = Snapshot.objects.get(state=State.RUNNING)
    service.tokens_hold = True
    assert snapshot_job.CountWalk.run_slice(again.pk) is None
    again.refresh_from_db()
    assert (again.state, again.restarted, outstanding(again)) == (State.DONE, True, [300, 5])


def test_a_token_that_is_refused_twice_fails(service: BookService) -> None:
    service.tokens_hold = False
    counted()
    snapshot_job.CountWalk.run_slice(Snapshot.objects.get(state=State.RUNNING).pk)
    rows = list(Snapshot.objects.order_by("id"))
    assert [row.state for row in rows] == [State.FAILED, State.FAILED]
    assert "twice" in rows[1].why


def test_an_app_that_is_configured_no_more(service: BookService, settings: Any) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    settings.LENDING_APPS = settings.LENDING_APPS[1:]
    assert snapshot_job.CountWalk.run_slice(row.pk) is None
    row.refresh_from_db()
    assert (row.state, service.pages) == (State.FAILED, 0)


def test_what_kills_its_workers_at_the_same_place_is_given_up(service: BookService) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    Snapshot.objects.update(tries=walks.TRIES)
    assert snapshot_job.CountWalk.run_slice(row.pk) is None
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert row.why


# --- several at once, and deaths -----------------------------------------------------------


def test_at_most_one_counting_of_an_app(service: BookService) -> None:
    started = at_once(6, lambda _: tasks.start("kenya", None))
    assert len([row for row in started if row is not None]) == 1
    assert tasks.start("ghana", None) is not None
    assert DBTaskResult.objects.filter(task_path=tasks.count.module_path).count() == 2


def test_of_two_that_count_the_same_each_page_is_one_s(
    service: BookService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.loans = [loan(number) for number in range(40)]
    row = tasks.start("kenya", None)
    assert row is not None
    at_once(3, lambda _: snapshot_job.CountWalk.run_slice(row.pk))
    while snapshot_job.CountWalk.run_slice(row.pk) is not None:
        pass
    row.refresh_from_db()
    assert (row.state, row.loans_read, outstanding(row)) == (State.DONE, 40, [2400, 40])
    assert row.loans.count() == 40


@pytest.mark.drill
def test_two_workers_count_it_once(service: BookService, tmp_path: Path) -> None:
    service.loans = [loan(number) for number in range(60)]
    row = tasks.start("kenya", None)
    tasks.count.enqueue(row.pk)  # type: ignore[union-attr]
    url = service.server.url
    with worker(url, tmp_path / "one"), worker(url, tmp_path / "two"):
        assert soon(lambda: Snapshot.objects.filter(state=State.DONE).exists())
    done = Snapshot.objects.get()
    assert (done.loans_read, outstanding(done)) == (60, [3600, 60])


@pytest.mark.drill
def test_a_worker_killed_in_the_middle_loses_at_most_a_page(
    service: BookService, tmp_path: Path
) -> None:
    service.loans = [loan(number) for number in range(10)]
    service.server.once("pageToken=4", hang())
    row = tasks.start("kenya", None)
    assert row is not None
    with worker(service.server.url, tmp_path / "one") as first:
        assert soon(lambda: "4" in service.places)
        first.send_signal(signal.SIGKILL)
        first.wait(10)
    row.refresh_from_db()
    assert (row.state, row.loans_read) == (State.RUNNING, 4)
    DBTaskResult.objects.update(started_at=timezone.now() - duties.LOST)
    with worker(service.server.url, tmp_path / "two"):
        assert soon(lambda: Snapshot.objects.filter(state=State.DONE).exists())
    row.refresh_from_db()
    assert (row.loans_read, outstanding(row)) == (10, [600, 10])
    assert service.places == ["", "2", "4", "4", "6", "8"]
    log = (tmp_path / "two").read_text()
    assert "is complete: 10 loans" in log
    assert "L-00" not in log


def test_a_slice_whose_task_is_gone_is_taken_up_again(service: BookService) -> None:
    row = tasks.start("kenya", None)
    DBTaskResult.objects.all().delete()
    tasks.beat()
    assert not DBTaskResult.objects.filter(task_path=tasks.count.module_path).exists()
    Snapshot.objects.update(heartbeat_at=timezone.now() - duties.LOST)
    tasks.beat()
    tasks.beat()
    (task,) = DBTaskResult.objects.filter(task_path=tasks.count.module_path)
    assert task.args_kwargs["args"] == [row.pk]  # type: ignore[union-attr]


def test_stopped_in_the_middle_adds_nothing_more(service: BookService, support: User) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    held, let_go = threading.Event(), threading.Event()

    def hold(place: int) -> None:
        if place == 2:
            held.set()
            let_go.wait(10)

    service.before = hold
    thread = threading.Thread(
        target=at_once, args=(1, lambda _: snapshot_job.CountWalk.run_slice(row.pk))
    )
    thread.start()
    assert held.wait(10)
    assert snapshot_job.stop("kenya", support) is not None
    assert snapshot_job.stop("kenya", support) is None
    let_go.set()
    thread.join()
    row.refresh_from_db()
    why = snapshot_job.STOPPED_BY % {"person": "support"}
    assert (row.state, row.why, row.loans_read) == (State.STOPPED, why, 2)
    assert row.loans.count() == 2
    assert service.pages == 2
    assert tasks.start("kenya", None) is not None
