from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from lendingadmin.core.monitoring.backup import BackupFailed, back_up


class Command(BaseCommand):
    """Copy the database into a file, while everything runs (docs/back-up.md)."""

    help = "Copy the database into a file: SQLite's online backup, or pg_dump's custom format."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file; it must not exist yet")

    def handle(self, *args: Any, **options: Any) -> None:
        began = timezone.now()
        try:
            size = back_up(options["file"])
        except BackupFailed as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{options['file']}: {size:,} bytes.")
        self.stdout.write(f"After a restore: manage.py restored --since {began:%Y-%m-%dT%H:%M:%S}Z")
