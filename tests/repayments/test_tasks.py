"""The worker: what is due comes by its calendar, and no death of a worker loses any of it."""

import logging
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands
from django.db import IntegrityError, OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.core.worker.worker import Worker
from lendingadmin.money.repayments import reconciliation, sending, tasks
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes import tasks as web_tasks
from lendingadmin.money.writes.models import Write
from tests.faults.behaviours import hang, reset
from tests.faults.server import Behaviour, Wire
from tests.repayments.service import LoanService, commit_then, without_committing
from tests.repayments.threads import at_once
from tests.repayments.workers import soon, worker

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]
LOANS = "GET /v1/projects/demo/apps/kenya/loans/"


@pytest.fixture
def landed(service: LoanService, support: User, asked: Asked) -> Repayment:
    """A repayment whose answer was lost: unknown here, recorded at the service, to be looked at."""
    service.answer = commit_then(reset())
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    service.answer = service.keep_word
    return due_now(repayment)


def due_now(repayment: Repayment, **fields: object) -> Repayment:
    Repayment.objects.filter(pk=repayment.pk).update(next_check_at=timezone.now(), **fields)
    repayment.refresh_from_db()
    return repayment


def looks_enqueued() -> list[DBTaskResult]:
    return list(DBTaskResult.objects.filter(task_path=tasks.check.module_path))


def grow_old(**of: object) -> None:
    """Let time pass, as the tasks see it."""
    DBTaskResult.objects.filter(**of).update(
        started_at=timezone.now() - duties.LOST - timedelta(seconds=1)
    )


def state_of(repayment: Repayment) -> str:
    repayment.refresh_from_db()
    return repayment.state


# --- a real process ------------------------------------------------------------------------


@pytest.mark.drill
@pytest.mark.parametrize("hours", [0, 25], ids=["one of many looks", "the last look"])
def test_a_worker_killed_in_the_middle_of_a_look_loses_nothing(
    hours: int, landed: Repayment, service: LoanService, tmp_path: Path
) -> None:
    due_now(landed, sent_at=timezone.now() - timedelta(hours=hours))
    service.server.once(LOANS, hang())
    before = service.server.hits(LOANS)
    with worker(service.server.url, tmp_path / "one.log") as first:
        assert soon(lambda: service.server.hits(LOANS) == before + 1)
        first.send_signal(signal.SIGKILL)
        first.wait(10)
    (task,) = looks_enqueued()
    assert task.status == TaskResultStatus.RUNNING
    assert state_of(landed) == RepaymentState.UNKNOWN
    assert (landed.attempts, landed.readings.filter(kind="check").count()) == (1, 0)
    grow_old()
    with worker(service.server.url, tmp_path / "two.log") as second:
        assert soon(lambda: state_of(landed) == RepaymentState.PRESUMED)
        assert soon(lambda: not DBTaskResult.objects.running().exists())
        second.send_signal(signal.SIGTERM)
        assert second.wait(10) == 0
    baseline, *_, look = landed.readings.all()
    assert (baseline.kind, baseline.paid, look.kind, look.paid) == (
        *("baseline", "1000.00"),
        *("check", "1500.00"),
    )
    assert baseline.taken_at < look.taken_at
    assert landed.why
    concluded = Entry.objects.filter(outcome=RepaymentState.PRESUMED.label)
    assert [(entry.detail, entry.user_id) for entry in concluded] == [(landed.why, None)]
    assert service.asked == 1
    log = (tmp_path / "two.log").read_text()
    assert f"{landed} was unknown, is presumed" in log
    assert "L-1" not in log and "TX" not in log


@pytest.mark.drill
def test_asked_to_stop_it_finishes_the_look_in_hand(
    landed: Repayment, service: LoanService, tmp_path: Path
) -> None:
    held, let_go = threading.Event(), threading.Event()
    get: Behaviour = service._get

    def slow(wire: Wire) -> bool:
        held.set()
        return let_go.wait(10) and get(wire)

    service.server.once(LOANS, slow)
    with worker(service.server.url, tmp_path / "log") as process:
        assert held.wait(20)
        process.send_signal(signal.SIGTERM)
        assert soon(lambda: "gracefully" in (tmp_path / "log").read_text())
        let_go.set()
        assert process.wait(10) == 0
    assert state_of(landed) == RepaymentState.PRESUMED
    assert [task.status for task in looks_enqueued()] == [TaskResultStatus.SUCCESSFUL]


@pytest.mark.drill
def test_two_workers_take_each_look_once(
    service: LoanService, support: User, asked: Asked, tmp_path: Path
) -> None:
    service.answer = without_committing(reset())
    service.has_every_loan = True
    for number in range(20):
        sending.record(asked(account_id=f"L-{number}"), support, f"form-{number}")
    before = service.server.hits(LOANS)
    # The tenth look is followed by a pause, so that no second one is due within the test.
    Repayment.objects.update(attempts=10, next_check_at=timezone.now())
    url = service.server.url
    with worker(url, tmp_path / "one.log") as one, worker(url, tmp_path / "two.log") as two:
        assert soon(lambda: not Repayment.objects.exclude(attempts=11).exists())
        assert soon(lambda: not DBTaskResult.objects.exclude(status="SUCCESSFUL").exists())
        # One may have done it all before the other was there to take a signal.
        logs = (tmp_path / "one.log", tmp_path / "two.log")
        assert soon(lambda: all("the worker runs" in log.read_text() for log in logs))
        for process in (one, two):
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
    assert service.server.hits(LOANS) == before + 20
    assert {row.readings.filter(kind="check").count() for row in Repayment.objects.all()} == {1}


# --- what is enqueued ----------------------------------------------------------------------


def test_the_worker_s_command_is_the_one_with_a_beat() -> None:
    assert get_commands()["db_worker"] == "lendingadmin.core.worker"


def test_a_due_look_is_enqueued_once_and_carries_a_number_only(landed: Repayment) -> None:
    tasks.beat()
    tasks.beat()
    (task,) = looks_enqueued()
    assert task.args_kwargs == {"args": [landed.pk], "kwargs": {}}


def test_what_is_not_due_is_not_enqueued(landed: Repayment) -> None:
    Repayment.objects.update(next_check_at=timezone.now() + timedelta(minutes=1))
    tasks.beat()
    assert looks_enqueued() == []


def test_a_look_enqueued_twice_is_taken_once(landed: Repayment) -> None:
    tasks.check.enqueue(landed.pk)
    tasks.check.enqueue(landed.pk)
    Worker(once=True).run()
    assert {task.status for task in looks_enqueued()} == {TaskResultStatus.SUCCESSFUL}
    assert landed.readings.filter(kind="check").count() == 1


def test_a_look_at_what_is_gone_does_no_harm() -> None:
    tasks.check.enqueue(4711)
    Worker(once=True).run()
    assert [task.status for task in looks_enqueued()] == [TaskResultStatus.SUCCESSFUL]


def test_what_a_sender_left_behind_is_swept_up(landed: Repayment) -> None:
    long_ago = timezone.now() - timedelta(minutes=3)
    Repayment.objects.update(state=RepaymentState.SENT, sent_at=long_ago, next_check_at=None)
    tasks.beat()
    assert state_of(landed) == RepaymentState.UNKNOWN


def test_other_writes_are_swept_up_and_looked_at(support: User) -> None:
    now = timezone.now()
    made = {"person": support, "app_id": "kenya", "operation": "loans.create"}
    died = Write.objects.create(idempotency_key="one", **made)
    doubtful = Write.objects.create(
        idempotency_key="two", state="unknown", next_check_at=now, **made
    )
    Write.objects.update(created_at=now - timedelta(minutes=3))
    Worker(once=True).run()
    for write in (died, doubtful):
        write.refresh_from_db()
        assert (write.state, write.attempts, write.checks.count()) == ("unknown", 1, 1)
    assert DBTaskResult.objects.filter(task_path=web_tasks.check_writes.module_path).count() == 1


def test_an_idle_worker_only_reads(db: None) -> None:
    idle = Worker(interval=0)
    idle._work()  # the first time there is something to tidy
    with CaptureQueriesContext(
        connection,
    ) as made:
        idle._work()
    assert len(made) > 3
    assert [query["sql"] for query in made if not query["sql"].startswith("SELECT")] == []


# --- what is done again --------------------------------------------------------------------


@pytest.fixture
def lost_task(landed: Repayment) -> DBTaskResult:
    """A look whose worker took it and died."""
    tasks.beat()
    (task,) = looks_enqueued()
    task.claim("dead")
    return task


def test_a_task_that_may_be_running_still_is_left_alone(lost_task: DBTaskResult) -> None:
    assert duties.requeue_lost() == 0


def test_of_many_workers_one_puts_a_lost_task_back(lost_task: DBTaskResult) -> None:
    grow_old()
    assert sorted(at_once(8, lambda _: duties.requeue_lost())) == [0] * 7 + [1]  # type: ignore[type-var]
    lost_task.refresh_from_db()
    assert lost_task.status == TaskResultStatus.READY


def test_a_failed_look_is_done_again(
    lost_task: DBTaskResult, landed: Repayment, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_task.set_failed(duties.Failed("OperationalError"))
    # The look was claimed, and with it the calendar had moved on to its end.
    Repayment.objects.update(next_check_at=None)
    assert duties.requeue_lost() == 0
    grow_old()
    Worker(once=True).run()
    assert state_of(landed) == RepaymentState.PRESUMED


def test_a_task_that_kills_its_workers_is_given_up(
    lost_task: DBTaskResult, caplog: pytest.LogCaptureFixture
) -> None:
    DBTaskResult.objects.update(worker_ids=["dead"] * duties.ATTEMPTS)
    grow_old()
    assert duties.requeue_lost() == 0
    lost_task.refresh_from_db()
    assert lost_task.status == TaskResultStatus.FAILED
    assert "has failed" in caplog.text


def test_an_error_s_words_stay_out_of_log_and_row(
    landed: Repayment, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    phone = "+" + "2547" * 3  # the line that raised is told, with what it says

    def break_down(_: Repayment) -> None:
        raise IntegrityError(f"Key (account_id)=({phone}) already exists.")

    monkeypatch.setattr(reconciliation, "check_if_due", break_down)
    with caplog.at_level(logging.DEBUG):
        Worker(once=True).run()
    (task,) = looks_enqueued()
    assert task.status == TaskResultStatus.FAILED
    assert "Failed: IntegrityError" in task.traceback
    assert f"check of {landed} failed: IntegrityError" in caplog.text
    assert "break_down" in caplog.text
    assert phone not in caplog.text + task.traceback


def test_a_database_that_does_not_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one, beats = Worker(interval=0), []

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise OperationalError("server closed the connection")
        one.running = False

    monkeypatch.setattr(duties, "run_duties", beat)
    one.run()
    assert len(beats) == 2


def test_tasks_that_are_done_are_forgotten_after_a_while(landed: Repayment) -> None:
    Worker(once=True).run()
    DBTaskResult.objects.update(
        finished_at=timezone.now() - timedelta(days=2),
        enqueued_at=timezone.now() - timedelta(days=2),
    )
    Worker(once=True).run()
    assert looks_enqueued() == []


def test_reconcile_does_what_a_dead_worker_left(lost_task: DBTaskResult, landed: Repayment) -> None:
    Repayment.objects.update(next_check_at=None)
    grow_old()
    call_command("reconcile")
    assert state_of(landed) == RepaymentState.PRESUMED
