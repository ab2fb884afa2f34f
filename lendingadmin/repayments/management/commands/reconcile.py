import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from lendingadmin.repayments import watching
from lendingadmin.web import onetime


class Command(BaseCommand):
    """Look once, or again and again, for evidence of every repayment that is unknown."""

    help = "Sweep up what senders left behind, look for evidence of unknown repayments, tidy forms."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every", type=int, metavar="SECONDS", help="do it again after so many seconds"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        while True:
            self.pass_once()
            if not options["every"]:
                return
            time.sleep(options["every"])

    def pass_once(self) -> None:
        swept, due = watching.sweep(), watching.due()
        before = {repayment.pk: repayment.state for repayment in due}
        for repayment in due:
            watching.look_if_due(repayment)
        concluded = sum(repayment.state != before[repayment.pk] for repayment in due)
        onetime.tidy()
        self.stdout.write(f"{swept} swept up, {len(due)} looked at, {concluded} concluded")
