import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from lendingadmin.core.worker.worker import Worker
from lendingadmin.money.repayments import reconciliation
from lendingadmin.money.repayments.models import Repayment


class Command(BaseCommand):
    """Run the worker's tasks once, or repeatedly, and print the result."""

    help = (
        "Run the worker's tasks once: end lost repayments, check unknown ones, update the "
        "portfolio if due, and clean up."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every", type=int, metavar="SECONDS", help="repeat after this number of seconds"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        while True:
            self.pass_once()
            if not options["every"]:
                return
            time.sleep(options["every"])

    def pass_once(self) -> None:
        before = {repayment.pk: repayment.state for repayment in reconciliation.list_due()}
        swept = reconciliation.conclude_overdue()
        Worker(once=True).run()
        after = Repayment.objects.in_bulk(before)
        concluded = sum(after[pk].state != state for pk, state in before.items())
        self.stdout.write(f"{swept} ended, {len(before)} checked, {concluded} concluded")
