"""`manage.py audit verify`, and `manage.py audit guard`: whether the trail can be trusted."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from lendingadmin.audit import record, triggers
from lendingadmin.audit.verification import Verifier


class Command(BaseCommand):
    """Verifies the chain of the trail, or makes its triggers again."""

    help = "Whether the audit trail is whole, and guarded."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("verify", help="compare every entry with the chain")
        actions.add_parser("guard", help="make the triggers that are missing")

    def handle(self, **options: Any) -> None:
        """Do what was asked for. Raises CommandError (exit 1) where the chain has a break."""
        if options["action"] == "guard":
            self._guard()
        else:
            self._verify()

    def _guard(self) -> None:
        missing = triggers.list_missing(connection)
        if missing:
            triggers.create_triggers(connection)
            record(None, "command", subject="audit guard", outcome="done", saved="yes")
        self.stdout.write(f"Made: {', '.join(missing)}" if missing else "No trigger is missing.")

    def _verify(self) -> None:
        verifier = Verifier()
        breaks = verifier.find_breaks()
        first = next(breaks, None)
        others = sum(1 for _ in breaks)
        if verifier.unchained:
            self.stdout.write(f"{verifier.unchained:,} entries are older than the chain.")
        newest = verifier.last
        up_to = f", up to {newest.pk} of {newest.at:%Y-%m-%d %H:%M:%S} UTC" if newest else ""
        self.stdout.write(f"{verifier.chained:,} entries were compared{up_to}.")
        if first:
            more = f" {others:,} more do not fit behind it." if others else ""
            raise CommandError(
                f"The trail is broken at entry {first.entry_id} of {first.at:%Y-%m-%d %H:%M:%S} "
                f"UTC: {first.what}.{more}"
            )
