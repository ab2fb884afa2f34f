"""Work of the areas in the worker: a duty enqueues the tasks that are due, and the tasks run.

Each worker beats every few seconds, between two tasks or when it is idle. At each beat, each area
enqueues its due tasks. A task has at most one argument, a number. A task finds its work in the
tables of the area and claims the work with a compare-and-swap. So a task may be enqueued or run
twice, by two workers, or by a worker and a page.

A worker that is killed leaves a task in the state running. All tasks are short: calls and mails
have time limits, and a long walk has slices. So a task that is still running at the time `LOST`
after its start is lost, and is enqueued again with a compare-and-swap. A failed task is also
enqueued again. A worker that was only paused finds that its work is done.
"""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks.base import Task
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.areas import collect
from lendingadmin.core.monitoring.metrics import TableGauge

from .models import Heartbeat

logger = logging.getLogger(__name__)

# Longer than the longest task. A token and a read with all tries take at most 35 s, and a mail
# takes less. A check after other writes takes a minute and one read. A slice takes some seconds and
# one read.
LOST = timedelta(minutes=2)
ATTEMPTS = 5
# Shortest time between two saved beats. If there was no beat for LATE, no worker is running.
_NOTED_EVERY = timedelta(seconds=30)
LATE = timedelta(minutes=3)


class Failed(Exception):
    """Error: a task failed. The text names the kind of error.

    The text does not repeat the error's own text, which may name a borrower.
    """


def run_duties() -> None:
    """Record a beat, requeue lost tasks, and let each area enqueue its due tasks.

    Several workers may do this at the same time. If the duty of one area fails, the other duties
    still run. Raise OperationalError or InterfaceError if the database does not answer.
    """
    note_beat()
    requeue_lost()
    for duty in collect("duties"):
        try:
            duty()
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            _tell(f"the duty of {duty.__module__}", error)


def note_beat() -> None:
    """Record the beat of a worker, at most every 30 seconds, for the check that a worker runs."""
    now = timezone.now()
    rows = Heartbeat.objects.filter(pk=1)
    if not rows.filter(beat_at__gt=now - _NOTED_EVERY).exists():
        Heartbeat.objects.update_or_create(pk=1, defaults={"beat_at": now})


def find_silence() -> str:
    """Return a sentence with the time of the last beat; empty if a worker runs."""
    beat = Heartbeat.objects.filter(pk=1).first()
    if beat is None:
        return "no worker has run yet"
    silent = timezone.now() - beat.beat_at
    if silent < LATE:
        return ""
    return f"no worker has beaten since {beat.beat_at:%Y-%m-%d %H:%M} UTC"


def read_beat() -> list[tuple[tuple[str, ...], float]]:
    """Return the time of the last beat of any worker, for a `metrics.TableGauge`.

    The list is empty before the first beat.
    """
    return [((), one.beat_at.timestamp()) for one in Heartbeat.objects.filter(pk=1)]


def requeue_lost() -> int:
    """Requeue tasks that failed or whose worker died; return the number of requeued tasks.

    After ATTEMPTS tries a task is not requeued. If its worker died in the last try, the task is
    marked as failed.
    """
    now = timezone.now()
    stale = DBTaskResult.objects.filter(
        Q(status=TaskResultStatus.RUNNING) | Q(status=TaskResultStatus.FAILED),
        started_at__lte=now - LOST,
        task_path__in=[one.module_path for one in collect("tasks")],
    )
    again = 0
    for row in stale:
        same = DBTaskResult.objects.filter(pk=row.pk, status=row.status, started_at=row.started_at)
        if len(row.worker_ids) < ATTEMPTS:
            again += same.update(status=TaskResultStatus.READY)
        elif row.status == TaskResultStatus.RUNNING:
            same.update(status=TaskResultStatus.FAILED, finished_at=now)
            logger.error("task %s has failed: its worker died %s times", row.pk, ATTEMPTS)
    if again:
        logger.warning("%s lost or failed tasks are queued again", again)
    return again


def list_enqueued(one: Task[Any, Any], *, running: bool = False) -> set[int]:
    """Return the ids of the rows for which this task is in the queue.

    With `running`, also return the ids of rows whose task is running. A task whose worker died
    counts as running until it is requeued.
    """
    states = [TaskResultStatus.READY, *([TaskResultStatus.RUNNING] if running else [])]
    rows = DBTaskResult.objects.filter(status__in=states, task_path=one.module_path)
    return {pk for call in rows.values_list("args_kwargs", flat=True) for pk in call["args"]}


def enqueue_at_most_every(pause: timedelta, one: Task[[], None]) -> None:
    """Enqueue a task without arguments, unless it waits or was enqueued within `pause`."""
    since = timezone.now() - pause
    recent = Q(enqueued_at__gt=since) | Q(status=TaskResultStatus.READY)
    if not DBTaskResult.objects.filter(recent, task_path=one.module_path).exists():
        one.enqueue()


@contextmanager
def hide_error_words(work: str) -> Iterator[None]:
    """Hide the text of an error from the log and from the task's row; log only its kind and place.

    Then raise Failed. The text is hidden because an error of the database or of a connection may
    contain ids of loans.
    """
    try:
        yield
    except Exception as error:
        _tell(work, error)
        raise Failed(type(error).__name__) from None


def _tell(work: str, error: Exception) -> None:
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s failed: %s\n%s", work, type(error).__name__, where)


BEAT = TableGauge("worker_beat_seconds", "When a worker beat last; Unix time.", (), read_beat)
