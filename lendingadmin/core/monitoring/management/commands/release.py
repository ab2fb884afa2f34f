import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from lendingadmin.core.monitoring import canary
from lendingadmin.core.waiting import sqlite_waiting

ANOTHER_HOST = "Another host is running this now. Waiting."

# A number that no other advisory lock of this database uses.
_LOCK = 0x6C656E64
# Seconds between two tries to take the lock.
_PAUSE = 0.5

# Milliseconds. SQLite has no queue of writers, so one of many writers may wait for a long time.
_LONGEST_WAIT = 300_000

# Id of the check that finds a public key in a place after the first. Such a key is allowed, because
# it encrypts nothing, and old entries may need it for years.
_RETIRED_KEY = "lendingadmin.E006"


class Command(BaseCommand):
    """Migrate the database, and check the keys and the audit trail, on one host at a time."""

    help = "Apply migrations, and check the triggers of the audit trail, one host after the other."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--new-secret-key",
            action="store_true",
            help=(
                "use this if an old key of SECRET_KEY, PEOPLE_KEYS or AUDIT_KEYS is lost: "
                "the database accepts the keys of this host from now on"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the release.

        Raise CommandError if `check --deploy` finds an error, such as a key from a public example,
        or if the keys do not fit the database.
        """
        found = run_checks(include_deployment_checks=True)
        serious = (one for one in found if one.is_serious() and not one.is_silenced())
        errors = [f"{one.msg} {one.hint or ''}" for one in serious if one.id != _RETIRED_KEY]
        if errors:
            raise CommandError("\n".join(errors))
        with self._one_at_a_time():
            if not options["new_secret_key"]:
                _check_keys()
            call_command("migrate", interactive=False, verbosity=options["verbosity"])
            if options["new_secret_key"]:
                canary.renew()
                _check_keys()
            call_command("check", databases=["default"])

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Let one host at a time run the block. Only PostgreSQL has several hosts.

        On SQLite the block waits longer for other writers than a page does. On PostgreSQL a second
        connection has the lock in a transaction, so the lock ends when the connection ends. A lock
        of a session is not used, because it could pass to another client if PgBouncer shares
        sessions.
        """
        if connection.vendor != "postgresql":
            with sqlite_waiting(_LONGEST_WAIT):
                yield
            return
        beside = connections.create_connection(DEFAULT_DB_ALIAS)
        try:
            beside.set_autocommit(False)
            if not _take_lock(beside):
                self.stdout.write(ANOTHER_HOST)
                while not _take_lock(beside):
                    # End the transaction before the wait, because an index that is created
                    # concurrently waits for all open transactions.
                    beside.rollback()
                    time.sleep(_PAUSE)
            yield
        finally:
            beside.close()


def _check_keys() -> None:
    """Raise CommandError if the keys do not fit the database.

    The error has the same text as `/readyz`. Before the first release, do nothing.
    """
    try:
        fault = canary.find_fault()
    except DatabaseError:
        return  # before its first release a database has no canary
    if fault:
        raise CommandError(fault)


def _take_lock(beside: BaseDatabaseWrapper) -> bool:
    with beside.cursor() as cursor:
        # Migrations may take a long time, and this transaction is idle during that time.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])
