"""Fill a running sandbox with a realistic book, through its own HTTP API."""

import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from lendingadmin.sandbox.seed.countries import APPS
from lendingadmin.sandbox.seed.filler import FillError, Service, fill

COLLECTIONS = ("borrowers", "loans", "repayments", "events", "assessments")


class Command(BaseCommand):
    """`manage.py sandbox_fill`: borrowers, loans and repayments for the seeded apps."""

    help = "Fills a running sandbox with borrowers, loans and repayments; a full app is left alone."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        address = f"http://127.0.0.1:{settings.SANDBOX_PORT}"
        parser.add_argument("--address", default=address, help=f"default: {address}")
        parser.add_argument("apps", nargs="*", metavar="app", help="default: every seeded app")

    def handle(self, *args: Any, **options: Any) -> None:
        unknown = set(options["apps"]) - set(APPS)
        if unknown:
            raise CommandError(f"There is no seed for {', '.join(sorted(unknown))}.")
        started = time.monotonic()
        now = datetime.now(UTC)
        try:
            client = next(iter(settings.SANDBOX_CLIENTS.values()))
            service = Service(
                options["address"], settings.SANDBOX_PROJECT, client.client_id, client.secret
            )
            added = {app_id: fill(service, app_id, now) for app_id in options["apps"] or APPS}
        except FillError as error:
            raise CommandError(str(error)) from error
        for app_id, counts in added.items():
            if counts["borrowers"] or counts["loans"]:
                said = ", ".join(f"{counts[name]} {name}" for name in COLLECTIONS)
                self.stdout.write(f"{app_id}: {said}")
        self.stdout.write(f"The sandbox is filled ({time.monotonic() - started:.0f} s).")
