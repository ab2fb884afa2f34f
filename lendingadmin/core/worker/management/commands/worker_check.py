"""`manage.py worker_check`: for a timer; reports that no worker runs, or that work is late."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from lendingadmin.core.monitoring.readiness import find_warnings


class Command(BaseCommand):
    """Print the warnings of `/readyz`; exit with 1 if there are any."""

    help = "Check that a worker runs and is not late. If not, the exit status is 1."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the warnings. Raise CommandError (exit 1) if there are any."""
        try:
            warnings = find_warnings()
        except DatabaseError:
            raise CommandError("the database does not answer") from None
        if warnings:
            raise CommandError("\n".join(warnings))
        self.stdout.write("A worker runs, and no task is late.")
