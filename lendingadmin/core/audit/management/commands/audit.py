"""`manage.py audit verify`, `guard` and `anchor`: check and protect the trail."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from lendingadmin.core.audit import record_command, triggers
from lendingadmin.core.audit.anchor import (
    Anchor,
    AnchorUnreadable,
    find_newest,
    read_anchor,
    stands,
    write_anchor,
)
from lendingadmin.core.audit.verification import CUT, Verifier

NO_ANCHOR = "There is no anchor yet, so missing entries at the end would not be noticed."


class Command(BaseCommand):
    """Verify the chain, create the missing triggers, or move the anchor to the newest entry."""

    help = "Check the audit trail: its chain, its anchor and its triggers."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("verify", help="compare every entry with the chain")
        actions.add_parser("guard", help="make the triggers that are missing")
        actions.add_parser("anchor", help="save the newest entry as the end of the chain")

    def handle(self, **options: Any) -> None:
        """Run the requested action.

        Raise CommandError (exit 1) if the chain has a break or the anchor's file can't be used.
        """
        match options["action"]:
            case "guard":
                self._guard()
            case "anchor":
                self._anchor()
            case "verify":
                self._verify()

    def _guard(self) -> None:
        missing = triggers.list_missing(connection)
        if missing:
            triggers.create_triggers(connection)
            record_command("audit guard")
        self.stdout.write(f"Made: {', '.join(missing)}" if missing else "No trigger is missing.")

    def _anchor(self) -> None:
        if not settings.AUDIT_ANCHOR:
            raise CommandError("AUDIT_ANCHOR names no file.")
        record_command("audit anchor")
        newest = find_newest()
        try:
            write_anchor(Anchor(newest))
        except OSError as error:
            raise CommandError(_explain_anchor(error)) from error
        self.stdout.write(f"The anchor is at entry {newest.entry_id}.")

    def _check_anchor(self) -> None:
        """Compare the trail with the anchor; print a warning if there is no anchor.

        Raise CommandError if the trail lacks the anchor's entry, or if the file can't be read.
        """
        if not settings.AUDIT_ANCHOR:
            return
        try:
            anchor = read_anchor()
        except AnchorUnreadable:
            raise CommandError("The anchor cannot be read.") from None
        except OSError as error:
            raise CommandError(_explain_anchor(error)) from error
        if anchor is None:
            self.stdout.write(NO_ANCHOR)
        elif not stands(anchor.newest):
            newest = anchor.newest.entry_id
            raise CommandError(f"The trail is broken at entry {newest}: {CUT}.")

    def _verify(self) -> None:
        verifier = Verifier()
        breaks = verifier.find_breaks()
        first = next(breaks, None)
        others = sum(1 for _ in breaks)
        newest = verifier.last
        up_to = f", up to {newest.pk} of {newest.at:%Y-%m-%d %H:%M:%S} UTC" if newest else ""
        self.stdout.write(f"{verifier.compared:,} entries were compared{up_to}.")
        if first:
            more = f" {others:,} more entries after it do not fit." if others else ""
            raise CommandError(
                f"The trail is broken at entry {first.entry_id} of {first.at:%Y-%m-%d %H:%M:%S} "
                f"UTC: {first.what}.{more}"
            )
        self._check_anchor()


def _explain_anchor(error: OSError) -> str:
    """Return the file, the reason and the usual remedy: use the account of the worker."""
    return (
        f"The file of AUDIT_ANCHOR, {settings.AUDIT_ANCHOR}, cannot be used: {error.strerror}. "
        "Run this with the account and the folders of the worker."
    )
