"""Worker of django-tasks-db, with a beat (duties.py describes the purpose)."""

import logging
import time
from types import FrameType

from django.db import InterfaceError, OperationalError, close_old_connections
from django.utils.crypto import get_random_string
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS, DEFAULT_TASK_QUEUE_NAME
from django_tasks_db.management.commands import db_worker
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.monitoring.request_ids import make_request_id, use_request_id

from . import duties

logger = logging.getLogger(__name__)

# Seconds. A page on which a person waits makes its own checks, sooner than the worker.
INTERVAL = 5.0


class Worker(db_worker.Worker):
    """Worker that beats, runs the tasks that are ready, and repeats this until it must stop.

    `interval` is the time in seconds between two beats; a running task delays the next beat.
    With `once` the worker beats once and returns when no task is ready. If the database does
    not answer, the worker tries again after the interval.
    """

    def __init__(self, *, interval: float = INTERVAL, once: bool = False) -> None:
        super().__init__(
            queue_names=[DEFAULT_TASK_QUEUE_NAME],
            interval=interval,
            batch=True,
            backend_name=DEFAULT_TASK_BACKEND_ALIAS,
            startup_delay=False,
            max_tasks=None,
            worker_id=get_random_string(32),
            excluded_queue_names=[],
        )
        self.once = once
        self._asleep = False
        self._next_beat = 0.0

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the current task or beat; immediately if there is none.

        A process that ends during the query of a beat leaves a connection that can't be closed.
        """
        self.running_task = not self._asleep
        super().shutdown(signum, frame)

    def run(self) -> None:
        """Work until stopped; with `once`, until no task is ready."""
        while self.running:
            if self.once:
                self._work()
                return
            try:
                self._work()
            except (OperationalError, InterfaceError) as error:
                logger.error("the database does not answer: %s", type(error).__name__)
            if self.running:
                self._asleep = True
                time.sleep(self.interval)
                self._asleep = False

    def run_task(self, db_task_result: DBTaskResult) -> None:  # type: ignore[type-arg]
        """Run one task, then beat, so that due work is noticed even during a long queue."""
        with use_request_id(make_request_id()):
            super().run_task(db_task_result)
        if not self.once:
            self._beat()

    def _work(self) -> None:
        close_old_connections()
        self._beat()
        # django-tasks-db searches the next task in a transaction that locks all of SQLite. So it is
        # called only if a task is ready.
        if DBTaskResult.objects.ready().exists():
            super().run()

    def _beat(self) -> None:
        if time.monotonic() >= self._next_beat:
            duties.run_duties()
            self._next_beat = time.monotonic() + self.interval
