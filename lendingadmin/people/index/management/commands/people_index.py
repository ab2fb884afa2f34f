"""`manage.py people_index`: show the state of the index of people, or read it again."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.people.index import tasks
from lendingadmin.people.index.find import find_index
from lendingadmin.people.index.models import BorrowerIndex


class Command(BaseCommand):
    """Show the state of the index, or let the worker read all borrowers again."""

    help = "Show or rebuild the index of borrowers by name, phone and number."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--status", action="store_true", help="print the state of each app's index"
        )
        what.add_argument(
            "--rebuild",
            action="store_true",
            help="read all borrowers again; the old index stays in use until the end",
        )
        parser.add_argument("--app", help="this app only")

    def handle(self, **options: Any) -> None:
        """Show the state, or start a reading and record the start in the audit trail.

        Raise CommandError for an unknown app.
        """
        apps = [app.app_id for app in settings.LENDING_APPS if options["app"] in (None, app.app_id)]
        if not apps:
            raise CommandError(f"“{options['app']}” is not an app of LENDING_APPS.")
        for app_id in apps:
            if not options["rebuild"]:
                words = describe_index(find_index(app_id))
            elif tasks.start(app_id) is None:
                words = "a walk is running already"
            else:
                audit.record_command("people_index --rebuild", app_id=app_id)
                words = "started; the worker continues it"
            self.stdout.write(f"{app_id}: {words}")


def describe_index(index: BorrowerIndex | None) -> str:
    """Return the state of an index in one line."""
    if index is None:
        return "no index yet; the worker builds it"
    parts = [f"{index.count_cards():,} borrowers"]
    if index.complete_at:
        parts.append(f"complete at {timezone.localtime(index.complete_at):%Y-%m-%d %H:%M %Z}")
    parts.append(index.get_state_display())
    if index.state == BorrowerIndex.State.RUNNING:
        parts.append(f"{index.seen:,} read")
    return ", ".join(filter(None, [*parts, index.why]))
