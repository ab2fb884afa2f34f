"""Whether a year's journal slows a crowd down: 50 people who ask for page after page.

`python -m tests.benchmarks.crowd` serves the dashboard by three gunicorns, over an empty journal, a
month's and a year's, and lets 50 clients ask each in turn, some seconds at a time. It prints the
requests a second of all, and fails where the year's has less than 0.8 of the month's: their pages
have as much to draw. An empty journal's have nothing to draw, so that the cheaper all else of a
page gets, the less a year's has of its rate.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from lendingadmin.demo.environment import BASE_DIR
from tests.benchmarks.places import asker, gunicorn, signed_in
from tests.benchmarks.years import environment, postgresql, say, sqlite

CLIENTS, LEAST = 50, 0.8
ROUNDS, SECONDS = 5, 8.0
#: Journals by their words: a year's is divided by so much; 0 is none of it.
_PARTS = {"empty": 0, "month": 12, "year": 1}
#: What an office asks for, as often as it stands here; each is there in an empty journal too.
PAGES = (
    *("/apps/kenya/", "/apps/kenya/loans/L-000001/", "/apps/kenya/loans/L-000001/"),
    *("/apps/kenya/repayments/", "/apps/kenya/loans/L-000001/repayments/new"),
    *("/apps/kenya/borrowers/B-000007/", "/apps/kenya/repayments/?person=clerk-007", "/audit/"),
    "/audit/?record=B-000007&app=kenya",
)


def main() -> None:
    """Fill and measure each database; the exit code says how it went."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repayments", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--here", action="store_true", help="fill the environment's database")
    given = parser.parse_args()
    if given.here:
        return fill(given.repayments, given.entries)
    kinds = [kind for kind in ("sqlite", "postgresql") if given.only in (None, kind)]
    sys.exit(any([compare(kind, given.repayments, given.entries) for kind in kinds]))


def fill(repayments: int, entries: int) -> None:
    """Prepare a database with a count of loans, and so many repayments and entries of the trail."""
    import django

    django.setup()
    from lendingadmin.demo.preparing import prepare_dashboard
    from tests.benchmarks import filling, filling_book

    prepare_dashboard()
    filling_book.fill_count()
    if repayments:
        filling.fill(repayments, entries, repayments // 5, repayments // 2)


def compare(kind: str, repayments: int, entries: int) -> bool:
    """Measure a year's journal beside smaller ones in databases of a kind; whether it is slow."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service, _ = stack.enter_context(gunicorn("tests.benchmarks.canned:app", {**os.environ}))
        asks = {}
        for name, part in _PARTS.items():
            own = folder / name
            own.mkdir()
            database = sqlite(own) if kind == "sqlite" else postgresql(own)
            address = stack.enter_context(database)
            if not address:
                return False
            environ = environment(own, service, address) | {"DASHBOARD_URL": "http://127.0.0.1"}
            command = [sys.executable, "-m", "tests.benchmarks.crowd", "--here"]
            command += ["--repayments", str(repayments // part if part else 0)]
            command += ["--entries", str(entries // part if part else 0)]
            subprocess.run(command, env=environ, cwd=BASE_DIR, check=True)
            server = stack.enter_context(gunicorn("lendingadmin.wsgi", environ, threads=16))
            session = signed_in(server.address, "/accounts/login/", "login", "manager")
            asks[name] = asker(server.address, session, headers={})
        rates: dict[str, list[float]] = {name: [] for name in asks}
        crowd = stack.enter_context(ThreadPoolExecutor(CLIENTS))
        for name, ask in asks.items():  # what a process does once is no part of it
            for page in PAGES:
                ask(page)
            say(f"{kind}, {name}: warmed up")
        # In turn, so that what else the machine does falls on both.
        for _ in range(ROUNDS):
            for name, ask in asks.items():
                until = time.monotonic() + SECONDS
                counts = list(crowd.map(partial(_ask_until, ask, until), range(CLIENTS)))
                rates[name].append(sum(counts) / SECONDS)
    return _report(kind, repayments, rates)


def _ask_until(ask: Callable[[str], str], until: float, number: int) -> int:
    """Ask for page after page, beginning at another one for each client; how many came."""
    pages, count = islice(cycle(PAGES), number % len(PAGES), None), 0
    while time.monotonic() < until:
        ask(next(pages))
        count += 1
    return count


def _report(kind: str, repayments: int, rates: dict[str, list[float]]) -> bool:
    empty, month, year = (statistics.median(rates[name]) for name in _PARTS)
    is_slow = year / month < LEAST
    say(
        f"{kind}, {CLIENTS} clients: {year:.1f} requests a second with {repayments:,} repayments, "
        f"{year / month:.2f} of the {month:.1f} with a month's and {year / empty:.2f} of the "
        f"{empty:.1f} with none; load {os.getloadavg()[0]:.1f} of {os.cpu_count()}: "
        f"{'failed' if is_slow else 'passed'}"
    )
    return is_slow


if __name__ == "__main__":
    main()
