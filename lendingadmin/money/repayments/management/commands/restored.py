from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from redis.exceptions import RedisError

from lendingadmin.core import audit
from lendingadmin.core.audit import restores
from lendingadmin.core.audit.anchor import Anchor, find_newest, write_anchor
from lendingadmin.core.caching import shared
from lendingadmin.money.repayments import restoration
from lendingadmin.web.models import Draft


class Command(BaseCommand):
    """Tell the dashboard that its database was restored from a backup (docs/back-up.md)."""

    help = (
        "Run this after a restore, before people use the dashboard. Repayments that were "
        "recorded after the backup are at the service, but not in the journal."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--since",
            metavar="MOMENT",
            help="time of the backup, or the end of the replayed log: 2026-11-25T02:00Z",
        )
        what.add_argument(
            "--not-restored",
            action="store_true",
            help=(
                "the database was not restored, although the dashboard suspects it: allow "
                "sending again"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["not_restored"]:
            is_resolved = restores.deny(by=None)
            self.stdout.write(
                "Sending is allowed again." if is_resolved else "No restore is suspected."
            )
            return
        since = _read_moment(options["since"])
        app_ids = [app.app_id for app in settings.LENDING_APPS]
        _clear_shared()
        undone = restoration.begin_gap(app_ids, since)
        drafts, _rows = Draft.objects.all().delete()
        sessions, _rows = Session.objects.all().delete()
        done = (
            f"{undone.repayments} repayments and {undone.writes} other writes now need checking; "
            f"{undone.unapproved} no longer wait for approval; {drafts} drafts and {sessions} "
            "sessions are deleted; the next repayment is "
            f"rp-{undone.next_number}"
        )
        restores.resolve(by=None)
        audit.record_command("restored", detail=f"since {since.isoformat()}: {done}")
        self.stdout.write(f"{done}.")
        self.stdout.write(
            "A gap is open. Until a manager closes the gap under Needs checking, each person who "
            "records a repayment confirms that the service does not have the repayment yet."
        )
        restores.note_sent()
        if settings.AUDIT_ANCHOR:
            _write_anchor()


def _write_anchor() -> None:
    """Write a new anchor, because the old anchor names entries that the restored trail lacks."""
    try:
        write_anchor(Anchor(find_newest()))
    except OSError as error:
        raise CommandError(
            f"This is done, but {settings.AUDIT_ANCHOR} can't be written ({error.strerror}): run "
            "`manage.py audit anchor` as the account of the worker."
        ) from error


def _clear_shared() -> None:
    """Clear the cache. It has data of lost rows, whose primary keys will be used again.

    Raise CommandError if the cache does not answer. At that point nothing else has changed.
    """
    try:
        shared.clear()
    except RedisError as error:
        raise CommandError("The cache does not answer: start it, then run this again.") from error


def _read_moment(text: str) -> datetime:
    """Return a past time with its zone. Raise CommandError for any other text."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise CommandError("--since must be a time with its zone, such as 2026-11-25T02:00Z.")
    if moment > timezone.now():
        raise CommandError("--since is in the future.")
    return moment
