"""`manage.py audit verify`, `guard`, `anchor` and `archive`: whether the trail can be trusted."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from lendingadmin.audit import archive, record_command, triggers
from lendingadmin.audit.anchor import (
    Anchor,
    AnchorUnreadable,
    find_newest,
    read_anchor,
    stands,
    write_anchor,
)
from lendingadmin.audit.models import ArchivedStretch, Entry
from lendingadmin.audit.verification import CUT, Verifier
from lendingadmin.staff.retention import TABLES


class Command(BaseCommand):
    """Verifies the chain, makes triggers again, casts the anchor again, archives what is old."""

    help = "Whether the audit trail is whole, and guarded."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = actions.add_parser("verify", help="compare every entry with the chain")
        verify.add_argument(
            "files", nargs="*", type=Path, metavar="FILE", help="compare these archives too"
        )
        actions.add_parser("guard", help="make the triggers that are missing")
        actions.add_parser("anchor", help="take the newest entry as the end of the chain")
        kept = actions.add_parser("archive", help="put entries past KEEP_ROWS_DAYS into files")
        kept.add_argument("--dry-run", action="store_true", help="say how many; archive none")

    def handle(self, **options: Any) -> None:
        """Do what was asked for. Raises CommandError (exit 1) where the chain has a break."""
        match options["action"]:
            case "guard":
                self._guard()
            case "anchor":
                self._anchor()
            case "archive":
                self._archive(is_dry_run=options["dry_run"])
            case "verify" if options["files"]:
                self._verify_files(options["files"])
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

    def _archive(self, *, is_dry_run: bool) -> None:
        days = next(one for one in TABLES if one.kind == "audit").count_days()
        if not days:
            raise CommandError(
                "Entries stay in the table: KEEP_ROWS_DAYS has no days for audit, or AUDIT_ARCHIVE "
                "names no folder."
            )
        before, archived = timezone.now() - timedelta(days=days), 0
        try:
            if is_dry_run:
                count = archive.list_older(before).count()
                self.stdout.write(f"{count:,} entries are older than {days} days.")
                return
            while stretch := archive.archive_stretch(before):
                archived += stretch.count
                self.stdout.write(f"{stretch.count:,} entries, {stretch}: {stretch.file_name}")
        except (archive.ArchiveRefused, archive.ArchiveInvalid, OSError) as error:
            raise CommandError(f"Not archived: {error}.") from error
        self.stdout.write(f"{archived:,} entries older than {days} days were archived.")

    def _verify_files(self, files: list[Path]) -> None:
        """Raises CommandError for the first that does not stand."""
        for file in files:
            try:
                found = archive.read_archive(file)
            except (archive.ArchiveInvalid, OSError) as error:
                raise CommandError(f"Not whole: {error}.") from error
            self.stdout.write(f"{file.name}: {found.count:,} entries, {found}, are whole.")
            known = ArchivedStretch.objects.filter(digest=found.digest).first()
            if known is None:
                raise CommandError(f"The trail here does not name {file.name}.")
            following = ArchivedStretch.objects.filter(pk__gt=known.pk).order_by("pk").first()
            first = following.file_name if following else f"entry {_find_first(known)} of the table"
            self.stdout.write(f"  followed by {first}")
        self._verify()

    def _check_anchor(self) -> None:
        """Raises CommandError where what the anchor knows of is not in the trail any more."""
        if not settings.AUDIT_ANCHOR:
            return
        try:
            anchor = read_anchor()
        except AnchorUnreadable:
            raise CommandError("The anchor cannot be read.") from None
        except OSError as error:
            raise CommandError(_explain_anchor(error)) from error
        if anchor is None:
            self.stdout.write("There is no anchor yet: a cut tail would not be seen.")
        elif not stands(anchor.newest):
            newest = anchor.newest.entry_id
            raise CommandError(f"The trail is broken at entry {newest}: {CUT}.")

    def _verify(self) -> None:
        verifier = Verifier()
        breaks = verifier.find_breaks()
        first = next(breaks, None)
        others = sum(1 for _ in breaks)
        if archived := ArchivedStretch.objects.last():
            when = f"{archived.last_at:%Y-%m-%d %H:%M:%S} UTC"
            self.stdout.write(f"Entries up to {archived.last_id} of {when} are archived.")
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
        self._check_anchor()


def _explain_anchor(error: OSError) -> str:
    """What stood in the way, and where: another account's folder, most often."""
    return (
        f"The file of AUDIT_ANCHOR, {settings.AUDIT_ANCHOR}, cannot be used: {error.strerror}. "
        "Run this as the account of the worker, and with its folders."
    )


def _find_first(known: ArchivedStretch) -> int | None:
    rows = Entry.objects.filter(pk__gt=known.last_id).order_by("pk")
    return rows.values_list("pk", flat=True).first()
