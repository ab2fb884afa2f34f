"""`manage.py db_worker`: the worker process. It replaces the command of django-tasks-db."""

import logging
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django_tasks_db.management.commands.db_worker import valid_interval

from lendingadmin.core.worker.worker import INTERVAL, Worker

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Run the duties and tasks that areas registered, until SIGTERM or Ctrl-C.

    After a signal, the worker finishes its current task first. A second signal stops the task.
    """

    help = "Run background tasks, and look for due tasks repeatedly."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--interval",
            type=valid_interval,
            default=INTERVAL,
            metavar="SECONDS",
            help="seconds between two looks for due tasks (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        worker = Worker(interval=options["interval"])
        worker.configure_signals()
        logger.info("the worker runs")
        worker.run()
