"""`manage.py erase borrower APP BORROWER`: all that may be erased of one borrower."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from lendingadmin.audit import record
from lendingadmin.audit.origin import describe_operator
from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.staff.erasure import ERASABLE, KEPT_ON


class Command(BaseCommand):
    """Says what was erased, and what is kept and why. Doing it twice does no harm."""

    help = "Erases what may be erased of one borrower, in one app."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("whose", choices=["borrower"])
        parser.add_argument("app")
        parser.add_argument("id", help="the borrower's id")

    def handle(self, **options: Any) -> None:
        """Erase it. Raises CommandError for an unknown app or what is no id."""
        app_id, borrower_id = options["app"], options["id"]
        if app_id not in (app.app_id for app in settings.LENDING_APPS):
            raise CommandError(f"“{app_id}” is no app of LENDING_APPS.")
        try:
            check_id(borrower_id)
        except InvalidId as error:
            raise CommandError(str(error)) from error
        erased = [(one.what, int(one.erase(app_id, borrower_id))) for one in ERASABLE]
        self.stdout.write("Erased:")
        for what, count in erased:
            self.stdout.write(f"  {count:,} {what}")
        self.stdout.write("Kept:")
        for kept in KEPT_ON:
            self.stdout.write(f"  {kept.count_rows(app_id, borrower_id):,} {kept.what}: {kept.why}")
        self.stdout.write("What stands in unfinished forms goes by itself within thirteen hours.")
        found = [f"{count} {what}" for what, count in erased if count]
        record(
            None,
            "dashboard.borrowers.erase",
            app_id=app_id,
            subject=borrower_id,
            outcome="erased",
            saved="yes",
            detail="; ".join([*found, describe_operator()]),
        )
