"""Background work: what it is, when it is due, and what becomes of lost work.

There is one calendar, `Repayment.next_look_at`, and tasks are only the way to it. Each worker
beats: every few seconds, between two tasks or when it is idle, it sweeps up and enqueues one `look`
for each repayment whose look is due (worker.py). A task carries a number and nothing else; what
there is to do it reads from the ledger, and takes by the ledger's own compare-and-swap. So it does
no harm when a look is enqueued or done twice, by two workers, or by a worker and a page. Other
writes have a calendar of their own (web/following.py), which one task follows.

A worker that is killed leaves a task that stands as running. Work here is short (a call has its
deadline, a mail its timeout), so age alone tells: what has not ended `LOST` after it began is put
back, by a compare-and-swap too, and so is what failed. Its second attempt looks whatever the
calendar says, for the first may have moved the calendar on and died before it looked. A worker that
was only paused finds its work done, which does no harm either.
"""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_tasks import TaskContext, TaskResultStatus, task
from django_tasks.base import Task
from django_tasks_db.models import DBTaskResult

from lendingadmin.web import following, onetime
from lendingadmin.web.models import Write

from . import notices, watching
from .models import Repayment

logger = logging.getLogger(__name__)

# Longer than the longest work: a token and a read with its tries take 35 s at most, a mail rather
# less, following other writes a minute and one read.
LOST = timedelta(minutes=2)
ATTEMPTS = 5

# Managers get no more than one mail in this time, and a mail server that is gone is not asked more
# often: it could hold up the looks.
TELL_EVERY = timedelta(minutes=5)
# Following other writes takes all that are due, so it may be rarer than the beat.
FOLLOW_EVERY = timedelta(seconds=15)
TIDY_EVERY = timedelta(hours=1)


class Failed(Exception):
    """A task failed; says by what kind of error, not in its words: those may name a borrower."""


@task(takes_context=True)
def look(context: TaskContext, repayment_id: int) -> None:
    """Take the look that is due at one repayment, if it still is."""
    with _discreet(f"look at rp-{repayment_id}"):
        repayment = Repayment.objects.filter(pk=repayment_id).first()
        if repayment is None:
            return
        before = repayment.state
        if context.attempt > 1:
            watching.look_now(repayment)
        else:
            watching.look_if_due(repayment)
        if repayment.state != before:
            logger.info("%s was %s, is %s", repayment, before, repayment.state)


# A mail takes seconds at most, a queue of looks at a service that hangs takes long.
@task(priority=10, takes_context=True)
def tell(context: TaskContext) -> None:
    """Write to the managers about what has been unknown for an hour."""
    with _discreet("telling the managers"):
        # The same at every attempt, so that the second finds what the first had claimed.
        moment = context.task_result.enqueued_at
        notices.tell(moment or timezone.now())


@task()
def follow_writes() -> None:
    """Find out what became of writes other than repayments."""
    with _discreet("following other writes"):
        following.follow_up()


@task(priority=-10)
def tidy() -> None:
    """Forget what was entered and has no use any more, and tasks that are done."""
    with _discreet("tidying"):
        following.forget()
        onetime.tidy()
        call_command("prune_db_task_results", min_age_days=1, failed_min_age_days=14, verbosity=0)


OURS: tuple[Task[Any, Any], ...] = (look, tell, follow_writes, tidy)


def beat() -> int:
    """Sweep up and enqueue what is due; returns how many repayments the sweeping concluded.

    Cheap, and free of locks when there is nothing to do. Any number of workers may beat at once.
    """
    swept = watching.sweep()
    put_back()
    waiting = _waiting()
    for repayment in watching.due():
        if repayment.pk not in waiting:
            look.enqueue(repayment.pk)
    if _writes_to_follow().exists():
        _enqueue_at_most_every(FOLLOW_EVERY, follow_writes)
    if notices.overdue().exists():
        _enqueue_at_most_every(TELL_EVERY, tell)
    _enqueue_at_most_every(TIDY_EVERY, tidy)
    return swept


def put_back() -> int:
    """Let tasks run again whose worker died, or which failed; returns how many."""
    now = timezone.now()
    stale = DBTaskResult.objects.filter(
        Q(status=TaskResultStatus.RUNNING) | Q(status=TaskResultStatus.FAILED),
        started_at__lte=now - LOST,
        task_path__in=[one.module_path for one in OURS],
    )
    again = 0
    for row in stale:
        same = DBTaskResult.objects.filter(pk=row.pk, status=row.status, started_at=row.started_at)
        if len(row.worker_ids) < ATTEMPTS:
            again += same.update(status=TaskResultStatus.READY)
        elif row.status == TaskResultStatus.RUNNING:
            same.update(status=TaskResultStatus.FAILED, finished_at=now)
            logger.error("task %s was given up: its worker died %s times", row.pk, ATTEMPTS)
    if again:
        logger.warning("%s lost or failed tasks are done again", again)
    return again


def _writes_to_follow() -> QuerySet[Write]:
    due = Q(state=Write.State.UNKNOWN, next_look_at__lte=timezone.now())
    return Write.objects.filter(Q(state=Write.State.SENT) | due)


def _waiting() -> set[int]:
    """The repayments for which a look is enqueued and not begun.

    One that is running is none of them: its worker may be dead, and it has claimed its look.
    """
    rows = DBTaskResult.objects.filter(status=TaskResultStatus.READY, task_path=look.module_path)
    return {pk for call in rows.values_list("args_kwargs", flat=True) for pk in call["args"]}


def _enqueue_at_most_every(pause: timedelta, one: Task[[], None]) -> None:
    since = timezone.now() - pause
    recent = Q(enqueued_at__gt=since) | Q(status=TaskResultStatus.READY)
    if not DBTaskResult.objects.filter(recent, task_path=one.module_path).exists():
        one.enqueue()


@contextmanager
def _discreet(work: str) -> Iterator[None]:
    """Keep the words of an error out of the log and the task's row; where it arose is told.

    A database or a connection quotes what it was given, ids of loans among it.
    """
    try:
        yield
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("%s failed: %s\n%s", work, type(error).__name__, where)
        raise Failed(type(error).__name__) from None
