"""How quick the queues of whom to call are over a large count: `python -m tests.benchmarks.queues`.

A count of a million loans and a year of calls, in a database of each kind. It fails where the p95
of a page's own time is over 200 ms, or a plan of SQLite reads a table of calls whole.
"""

import argparse
import logging
import sys
import time
from collections.abc import Callable
from functools import partial

from tests.benchmarks.years import Measuring, measure_each, say

_AREA = "/apps/kenya/collections/"


def main() -> None:
    """Fill and measure each database in a process of its own; the exit code says how it went."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--loans", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=200_000)
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--here", choices=("fill", "measure"), help="in the environment's database")
    given = parser.parse_args()
    if given.here == "fill":
        return fill(given.loans, given.calls)
    if given.here == "measure":
        sys.exit(MeasuringQueues().run())
    command = [sys.executable, "-m", "tests.benchmarks.queues"]
    command += ["--loans", str(given.loans), "--calls", str(given.calls), "--here"]
    sys.exit(measure_each(command, given.only))


def fill(loans: int, calls: int) -> None:
    """Fill the database: in a process of its own, since no web process holds what this one does."""
    import django

    django.setup()
    logging.disable(logging.INFO)
    from django.db import connection

    from lendingadmin.demo.preparing import prepare_dashboard
    from tests.benchmarks import filling_book, rows

    prepare_dashboard()
    began = time.monotonic()
    filling_book.fill_count(loans)
    filling_book.fill_calls(calls, loans)
    filling_book.fill_assignments(loans)
    filling_book.make_queues()
    say(f"\n{connection.vendor}: {loans:,} loans, {calls:,} calls")
    say(f"filled in {time.monotonic() - began:.0f} s, {rows.measure_size()}")


class MeasuringQueues(Measuring):
    """The pages of the area, and the database's part of Next."""

    most = 200.0

    def measure(self, words: str, act: Callable[[], object]) -> None:
        """Time it. PostgreSQL weighs whether to look up each row of a queue or to read what is set
        aside at once, so that its plans are no fault; how long they take is.
        """
        from django.db import connection

        super().measure(words, act)
        if connection.vendor == "postgresql":
            self.scans.clear()

    def measure_all(self) -> None:
        """Pages as a manager asks for them, then what a press of Next and the worker do."""
        from lendingadmin.desk.collections.models import CallQueue
        from lendingadmin.desk.collections.queues import QUEUES

        pages = {f"queue {key}": f"{_AREA}{key}/" for key in QUEUES}
        pages |= {f"queue {key}, further down": f"{_AREA}{key}/?after=900" for key in QUEUES}
        for made in CallQueue.objects.all():
            pages[f"queue of the list {made.name}"] = made.get_absolute_url()
            pages[f"the same, further down ({made.name})"] = f"{made.get_absolute_url()}?after=900"
        pages |= {"queues": _AREA, "who is not called": f"{_AREA}stops/"}
        self.measure_pages(pages)
        for words, act in acts().items():
            self.measure(words, act)


def acts() -> dict[str, Callable[[], object]]:
    """Whom Next takes, without the service; what the worker judges."""
    from django.utils import timezone

    from lendingadmin.core.gateway import lending_app
    from lendingadmin.core.staff.models import User
    from lendingadmin.desk.collections import leases, promises
    from lendingadmin.desk.collections.models import CallQueue
    from lendingadmin.desk.collections.queues import MINE, QUEUES, open_queue

    app, person = lending_app("kenya"), User.objects.get(username="officer")
    people = {name: User.objects.get(username=name) for name in ("manager", "officer", "support")}

    def open_page(key: str, name: str, first: int = 0) -> None:
        queue = open_queue(app, key, timezone.now(), people[name])
        assert queue is not None
        queue.count()
        queue.build_rows(queue.read_rows(first, first + 25))

    def take(key: str) -> None:
        now = timezone.now()
        queue = open_queue(app, key, now, people["manager"])
        assert queue is not None
        row = next(queue.list_free(), None)
        if row is not None:
            found = {"account_id": row.account_id, "queue": key}
            leases.take("kenya", row.borrower_id, person, now, **found)

    found = {f"next of {key}": partial(take, key) for key in QUEUES}
    made = CallQueue.objects.all()
    found |= {f"next of the list {one.name}": partial(take, one.key) for one in made}
    for name in people:
        found[f"my borrowers, of {name}"] = partial(open_page, MINE, name)
        found[f"my borrowers, of {name}, further down"] = partial(open_page, MINE, name, 900)
    return {**found, "promises are judged": lambda: promises.judge_promises(app, timezone.now())}


if __name__ == "__main__":
    main()
