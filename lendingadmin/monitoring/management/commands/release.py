from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection

# Any number that nothing else in this database locks by.
_LOCK = 0x6C656E64


class Command(BaseCommand):
    """Bring the database to this version, once, however many hosts begin with it at a time."""

    help = "Apply migrations and look whether the audit trail is guarded, one host after the other."

    def handle(self, *args: Any, **options: Any) -> None:
        with self._one_at_a_time():
            call_command("migrate", interactive=False, verbosity=options["verbosity"])
            call_command("check", databases=["default"])

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Only PostgreSQL has several hosts. The lock goes with the connection, too."""
        if connection.vendor != "postgresql":
            yield
            return
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
            if not cursor.fetchone()[0]:
                self.stdout.write("Another host is at it; waiting.")
                cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
