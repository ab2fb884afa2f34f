"""`manage.py erase borrower APP BORROWER`: erase all erasable data of one borrower.

`manage.py erase old`: erase the texts and rows that are too old by the rule of retention, and
expired rows, such as sessions and unfinished forms. The worker also erases them automatically.

With `--dry-run` both commands only print the data that would be erased.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lendingadmin.core.audit import record, record_command
from lendingadmin.core.audit.origin import describe_operator
from lendingadmin.core.staff import erasure, retention
from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id

WOULD_BE_ERASED, ERASED = "Would be erased:", "Erased:"
WOULD_BE_ERASED_BY_AGE = "Would be erased by age:"


class Command(BaseCommand):
    """Erase data. Print the erased data, and the data that remains with the reason.

    The command is safe to run twice.
    """

    help = "Erase the data of one borrower in one app, or old data of all borrowers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("whose", choices=["borrower", "old"])
        parser.add_argument("app", nargs="?", default="")
        parser.add_argument("id", nargs="?", default="", help="the borrower's id")
        parser.add_argument(
            "--dry-run", action="store_true", help="only count the data, by kind; erase nothing"
        )

    def handle(self, **options: Any) -> None:
        """Erase the data. Raise CommandError for an unknown app or an invalid id."""
        is_dry_run = options["dry_run"]
        if options["whose"] == "old":
            if options["app"]:
                raise CommandError(
                    "Old data is erased for all borrowers in all apps, so name no app."
                )
            self._erase_old(is_dry_run=is_dry_run)
            return
        app_id, borrower_id = options["app"], options["id"]
        if app_id not in (app.app_id for app in settings.LENDING_APPS):
            raise CommandError(f"“{app_id}” is not an app of LENDING_APPS.")
        try:
            check_id(borrower_id)
        except InvalidId as error:
            raise CommandError(str(error)) from error
        self._erase_borrower(app_id, borrower_id, is_dry_run=is_dry_run)

    def _erase_borrower(self, app_id: str, borrower_id: str, *, is_dry_run: bool) -> None:
        erased = erasure.erase_borrower(app_id, borrower_id, is_dry_run=is_dry_run)
        self.stdout.write(WOULD_BE_ERASED if is_dry_run else ERASED)
        for what, count in erased.gone:
            self.stdout.write(f"  {count:,} {what}")
        self.stdout.write("Kept:")
        for kept, count in erased.kept:
            self.stdout.write(f"  {count:,} {kept.what}: {kept.why}")
        hours = settings.SESSION_HOURS + 1
        self.stdout.write(f"Entries of unfinished forms are deleted within {hours} hours.")
        if is_dry_run:
            return
        found = [f"{count} {what}" for what, count in erased.gone if count]
        record(
            None,
            "dashboard.borrowers.erase",
            app_id=app_id,
            subject=borrower_id,
            outcome="erased",
            saved="yes",
            detail="; ".join([*found, describe_operator()]),
        )

    def _erase_old(self, *, is_dry_run: bool) -> None:
        texts, rows, over = erasure.count_old(), retention.count_old(), retention.count_over()
        self.stdout.write(WOULD_BE_ERASED_BY_AGE if is_dry_run else "Erased by age:")
        for kind, count in texts:
            more = " or more" if count >= erasure.COUNTED else ""
            self._say(f"{count:,}{more}", kind.what, kind.count_days())
        for table, count in rows:
            self._say(f"{count:,}", f"rows of: {table.what}", table.count_days(), table.then)
        for table, count in over:
            self.stdout.write(f"  {count:,} finished rows of: {table.what}")
        if is_dry_run:
            return
        while not all([erasure.erase_old(), retention.delete_old()]):
            pass
        retention.delete_over()
        found = [f"{count} {kind.what}" for kind, count in texts if count]
        found += [f"{count} rows of: {table.what}" for table, count in [*rows, *over] if count]
        record_command("erase old", detail="; ".join(found))

    def _say(self, shown: str, what: str, days: int, then: str = "") -> None:
        self.stdout.write(f"  {shown} {what}, older than {days} days{then and '; '}{then}")
