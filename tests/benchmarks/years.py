"""How quick the pages and beats are that read the dashboard's own tables, once those are large.

`python -m tests.benchmarks.years` fills a database of each kind with a year's repayments, the trail
beside them, half as many assessments and a count of twice as many loans, and removes it afterwards.
The time is a page's own: from the request to the last byte, without what it waited for the service,
or for a processor that somebody else's work had. It fails where a p95 is over 100 ms (a timeline:
300 ms) or a plan reads a large table whole; CSV reads all that it is asked for, so it is told in
rows a second, of which the whole journal's must be 20,000.
"""

import argparse
import json
import logging
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from lendingadmin.demo.environment import BASE_DIR, kept_secrets, variables
from tests.benchmarks.places import gunicorn

POSTGRES = "postgres://postgres@127.0.0.1:5432/"
MOST = 100.0
#: A timeline of 5,000 entries may take longer: it counts the months of all of them.
MOST_OF = {"timeline of 5,000, a borrower": 300.0, "timeline of 5,000, a loan": 300.0}
ROUNDS, TRIES = 20, 4
#: Rows a second of its own time, of a CSV that is long enough to tell.
LEAST_ROWS, LONG = 20_000, 10_000
#: More rows than this are no page's: it looks through AT_MOST of a source (web/keyset.py).
READ = 15_000
JOURNAL, TRAIL = "/apps/kenya/repayments/", "/audit/"
LISTS, STATEMENTS = "/apps/kenya/loans/lists/", "/apps/kenya/statements/"


def main() -> None:
    """Fill and measure each database in a process of its own; the exit code says how it went."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repayments", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--loans", type=int, default=2_000_000, help="of the newest count")
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--here", choices=("fill", "measure"), help="in the environment's database")
    parser.add_argument("--match", default="", help="only what has this in its words")
    given = parser.parse_args()
    if given.here == "fill":
        return fill(given.repayments, given.entries, given.loans)
    if given.here == "measure":
        sys.exit(Measuring(given.match).run())
    command = [sys.executable, "-m", "tests.benchmarks.years"]
    command += ["--repayments", str(given.repayments), "--entries", str(given.entries)]
    command += ["--loans", str(given.loans), "--match", given.match, "--here"]
    sys.exit(measure_each(command, given.only))


def measure_each(command: list[str], only: str | None) -> int:
    """Fill and measure a database of each kind, by this command with `fill` and `measure` behind
    it; 1 where one of them failed.
    """
    failed = 0
    with (
        tempfile.TemporaryDirectory() as name,
        gunicorn("tests.benchmarks.canned:app", {**os.environ}) as (service, _),
    ):
        for kind, database in (("sqlite", sqlite), ("postgresql", postgresql)):
            if only in (None, kind):
                with database(Path(name)) as address:
                    if address:
                        environ = environment(Path(name), service, address)
                        run = partial(subprocess.run, env=environ, cwd=BASE_DIR)
                        run([*command, "fill"], check=True)
                        failed |= run([*command, "measure"]).returncode
    return failed


def fill(repayments: int, entries: int, loans: int) -> None:
    """Fill the database: in a process of its own, since no web process holds what this one does."""
    import django

    django.setup()
    logging.disable(logging.INFO)
    from django.db import connection

    from lendingadmin.demo.preparing import prepare_dashboard
    from tests.benchmarks import filling, filling_book, filling_timeline, rows

    prepare_dashboard()
    began = time.monotonic()
    filling.fill(repayments, entries, repayments // 5, repayments // 2)
    filling_book.fill_count(loans)
    filling_timeline.fill_timeline()
    took, load = time.monotonic() - began, os.getloadavg()[0]
    say(f"\n{connection.vendor}: {repayments:,} repayments, {entries:,} entries, {loans:,} loans")
    say(f"filled in {took:.0f} s, {rows.measure_size()}; load {load:.1f} of {os.cpu_count()}")


def environment(folder: Path, service: str, database: str) -> dict[str, str]:
    """A dashboard's, before the canned service and on this database."""
    return {
        **os.environ,
        **variables({}, kept_secrets(folder / "demo.env"), folder),
        "DATABASE_URL": database,
        "CACHE_URL": "locmemcache://",
        "LENDING_BASE_URL": service,
        "DASHBOARD_URL": "http://testserver",
        "DJANGO_SETTINGS_MODULE": "lendingadmin.settings",
        "PYTHONPATH": str(BASE_DIR),
    }


@contextmanager
def sqlite(folder: Path) -> Iterator[str]:
    """A file that goes with its folder."""
    yield f"sqlite:///{folder / 'years.sqlite3'}"
    for left in folder.glob("years.sqlite3*"):
        left.unlink()


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A database of its own at the default address; empty where nothing answers there."""
    import psycopg

    name = f"lendingadmin_years_{os.getpid()}_{folder.name}"
    try:
        server = psycopg.connect(f"{POSTGRES}postgres", autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        say(f"\nPostgreSQL does not answer at {POSTGRES}: not measured.")
        yield ""
        return
    with server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{POSTGRES}{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Taken(NamedTuple):
    """Milliseconds of one round: the work's own, and of these the database's."""

    own: float
    asked: float


class Measuring:
    """A filled database: each page and beat asked for again and again, in a process that serves.

    No p95 may be over `most` milliseconds.
    """

    most = MOST

    def __init__(self, match: str = "") -> None:
        import lendingadmin.wsgi  # noqa: F401 - sets up Django and how its garbage is collected

        logging.disable(logging.INFO)
        self.match = match
        self.slow: dict[str, Callable[[], object]] = {}
        self.scans: list[str] = []

    def run(self) -> int:
        """Measure and print; 1 where something was too slow or read a table whole."""
        say(f"{'ms':<56}{'own p50':>9}{'own p95':>9}{'database':>9}{'p95':>9}")
        self.measure_all()
        # A whole machine can be slow for a minute: its host has other work, of which nothing tells.
        again, self.slow = self.slow, {}
        for words, act in again.items():
            say(f"once more, since it was too slow: {words}")
            act()
        for scan in dict.fromkeys(self.scans):
            say(f"READS A TABLE WHOLE: {scan}")
        for words in self.slow:
            say(f"TOO SLOW: {words}")
        say(f"load {os.getloadavg()[0]:.1f}: {'failed' if self.slow or self.scans else 'passed'}")
        return 1 if self.slow or self.scans else 0

    def measure_all(self) -> None:
        """Pages as a manager asks for them, then what the worker does, then CSV."""
        from lendingadmin.core import gateway
        from lendingadmin.desk.portfolio.loan_lists import prepare_lists

        prepare_lists(gateway.lending_app("kenya"))  # as the worker does after a count
        self.measure_pages(addresses())
        for words, act in self._choose(beats()):
            self.measure(words, act)
        for words, address in self._choose(exports()):
            self.export(words, self.sign_in(), address)

    def sign_in(self) -> Any:
        """A manager's browser."""
        from django.test import Client

        from lendingadmin.core.staff.models import User

        client = Client()
        client.force_login(User.objects.get(username="manager"))
        return client

    def measure_pages(self, pages: dict[str, str]) -> None:
        """Measure pages by their words, as a manager asks for them."""
        client = self.sign_in()
        for words, address in self._choose(pages):

            def read_page(address: str = address) -> None:
                answer = client.get(address)
                if answer.status_code != 200:
                    raise SystemExit(f"{address} answered {answer.status_code}")

            self.measure(words, read_page)

    def _choose(self, every: dict[str, Any]) -> list[tuple[str, Any]]:
        return [(words, one) for words, one in every.items() if self.match in words]

    def measure(self, words: str, act: Callable[[], object]) -> None:
        """Time it; again where it was too slow, since others use the machine's processors too."""
        from tests.plans import watched_queries

        act()
        with watched_queries() as queries:
            act()
        self.scans += [f"{words}: {scan}" for scan in scans_of(queries)]
        taken, most = own_times(act), MOST_OF.get(words, self.most)
        for _ in range(TRIES - 1):
            if p95([one.own for one in taken]) > most:
                again = own_times(act)
                taken = min(taken, again, key=lambda times: p95([one.own for one in times]))
        own, asked = [one.own for one in taken], [one.asked for one in taken]
        figures = (statistics.median(own), p95(own), statistics.median(asked), p95(asked))
        say(f"{words:<56}" + "".join(f"{figure:>9.1f}" for figure in figures))
        if p95(own) > most:
            self.slow[words] = partial(self.measure, words, act)

    def export(self, words: str, client: Any, address: str) -> None:
        """Take a CSV whole; again where it was too slow, as `measure` does."""
        best = 0.0
        for _ in range(TRIES):
            began = time.perf_counter(), queued()
            rows = sum(part.count(b"\n") for part in client.get(address).streaming_content) - 1
            took = time.perf_counter() - began[0] - (queued() - began[1])
            best = max(best, rows / took)
            if best >= LEAST_ROWS or rows < LONG:
                break
        say(f"{words:<56}{rows:>9,} rows: {best:,.0f} a second of its own time")
        if best < LEAST_ROWS and rows >= LONG:
            self.slow[words] = partial(self.export, words, client, address)


def own_times(act: Callable[[], object]) -> list[Taken]:
    """What each round took."""
    from django.db import connection

    from lendingadmin.core import gateway

    asked = [0.0]

    def watch(execute: Any, *given: Any) -> Any:
        began = time.perf_counter(), queued()
        try:
            return execute(*given)
        finally:
            asked[0] += time.perf_counter() - began[0] - (queued() - began[1])

    taken = []
    for _ in range(ROUNDS):
        asked[0] = 0.0
        began = time.perf_counter(), queued()
        with gateway.calls() as made, connection.execute_wrapper(watch):
            act()
        took = time.perf_counter() - began[0] - (queued() - began[1])
        own = took - sum(call.seconds for call in made)
        taken.append(Taken(own * 1000, max(asked[0], 0.0) * 1000))
    return taken


def queued() -> float:
    """Seconds that this thread, and the server's process for it, waited for a processor so far."""
    from django.db import connection

    waits = [Path("/proc/thread-self/schedstat")]
    if connection.vendor == "postgresql" and connection.connection:
        waits.append(Path(f"/proc/{connection.connection.info.backend_pid}/schedstat"))
    try:
        return sum(int(one.read_text().split()[1]) for one in waits) / 1e9
    except OSError:  # it is another system's, or another machine's
        return 0.0


def p95(times: list[float]) -> float:
    """Nineteen of twenty took no longer."""
    return statistics.quantiles(times, n=20)[-1]


def addresses() -> dict[str, str]:
    """Every page that reads the large tables, with the filters that are hardest for it."""
    from django.utils import timezone

    from lendingadmin.core.audit.models import Entry
    from lendingadmin.desk.portfolio.models import SnapshotLoan
    from lendingadmin.money.repayments.models import Repayment
    from lendingadmin.web.lists import DEFAULT_PAGE_SIZE

    def of(query: str) -> str:
        return f"{JOURNAL}?{query}"

    now = timezone.localdate()
    half, week = now - timedelta(days=180), now - timedelta(days=173)
    days = f"since={half}&until={week}"
    own = Repayment.objects.filter(app_id="kenya").order_by("pk")
    recorded = own.filter(state="recorded").values_list("pk", flat=True)[5]
    doubtful = list(own.filter(state="unknown").values_list("pk", flat=True))
    unknown = doubtful[len(doubtful) // 2]
    deep = Repayment.objects.count() // 2
    smallest = SnapshotLoan.objects.filter(is_open=True).order_by("outstanding_rank", "-pk")
    last = smallest.values_list("account_id", flat=True)[DEFAULT_PAGE_SIZE]
    deep_entry = Entry.objects.order_by("pk").first().pk + deep * 4  # type: ignore[union-attr]
    return {
        "any page, with its badge": "/glossary/",
        "home": "/apps/kenya/",
        "people": "/people/",
        "needs checking": f"{JOURNAL}unknown/",
        "needs checking, a later page": f"{JOURNAL}unknown/?after={unknown}",
        "statements": STATEMENTS,
        "a statement of 1,000 rows": f"{STATEMENTS}200/",
        "a statement, what is not recorded": f"{STATEMENTS}200/?standing=missing",
        "days that statements cover": f"{STATEMENTS}covered/?month={half:%Y-%m}",
        "a day: our records and statements": f"{STATEMENTS}covered/{half}/",
        "unallocated money": f"{STATEMENTS}unallocated/",
        "contradictions of statements": f"{STATEMENTS}contradictions/",
        "suggestions only": f"{STATEMENTS}payers/",
        "a batch of 1,000 payments": f"{STATEMENTS}200/batch/",
        "a batch, what is open": f"{STATEMENTS}200/batch/?decision=open",
        "a batch, what was recorded": f"{STATEMENTS}200/batch/?result=landed",
        "journal": JOURNAL,
        "journal, half a million rows on": of(f"before={deep}"),
        "journal, recorded": of("state=recorded"),
        "journal, unknown": of("state=unknown"),
        "journal, resolved": of("state=resolved"),
        "journal, landed": of("state=landed"),
        "journal, may or may not be there": of("state=doubtful"),
        "journal, resolved as not recorded": of("state=abandoned"),
        "journal, a mistake is reported": of("mistake=open"),
        "journal, a report was reviewed": of("mistake=reviewed"),
        "journal, a person": of("person=clerk-007"),
        "journal, a person and refused": of("person=clerk-007&state=refused"),
        "journal, a person and a week of half a year ago": of(f"person=clerk-007&{days}"),
        "journal, a loan": of("record=L-000007"),
        "journal, a transaction id": of("record=TX4711"),
        "journal, a loan and recorded": of("record=L-000007&state=recorded"),
        "journal, a channel": of("channel=mobile"),
        "journal, a rare network": of("network=POSTBANK"),
        "journal, no such network": of("network=NONE"),
        "journal, a rare network, by a person": of("network=POSTBANK&person=clerk-007"),
        "journal, unknown, no such network": of("network=NONE&state=unknown"),
        "journal, a week of half a year ago": of(days),
        "journal, that week by transaction date": of(f"{days}&by=transactionDate"),
        "journal, that week by transaction date, resolved": of(
            f"{days}&by=transactionDate&state=resolved"
        ),
        "end of day": f"{JOURNAL}day/",
        "end of day, a day of half a year ago": f"{JOURNAL}day/?date={half}",
        "end of day, that day by transaction date": f"{JOURNAL}day/?date={half}&by=transactionDate",
        "receipt, recorded": f"{JOURNAL}{recorded}/",
        "receipt, unknown": f"{JOURNAL}{unknown}/",
        "receipt, unknown, polled": f"{JOURNAL}{unknown}/status?seen=unknown",
        "loan": "/apps/kenya/loans/L-000001/",
        "loans, the open ones of a count": LISTS,
        "loans, the open ones, the last page": f"{LISTS}?before={last}",
        "loans, the open ones by product": f"{LISTS}?sort=product",
        "loans, overdue": f"{LISTS}?show=overdue",
        "loans, overdue, by days late": f"{LISTS}?show=overdue&sort=-late",
        "loans, due today": f"{LISTS}?show=due-today",
        "loans, due this week": f"{LISTS}?show=due-this-week",
        "loans, first instalment missed": f"{LISTS}?show=first-missed",
        "loans, 31 to 60 days late": f"{LISTS}?late=31-60",
        "loans, a product": f"{LISTS}?product=term-3-months",
        "loans, closed lately": f"{LISTS}?show=closed",
        "loans of a figure, the principal": f"{LISTS}?count=1&show=figure-principal_outstanding",
        "loans of a figure, more than 90 days late": f"{LISTS}?count=1&show=figure-par90",
        "loans of a figure, a performance": f"{LISTS}?count=1&show=figure-performance:2",
        "loans of a figure, what was not reported": f"{LISTS}?count=1&show=figure-untold:overdue",
        "repayment form": "/apps/kenya/loans/L-000001/repayments/new",
        "timeline of 5,000, a borrower": "/apps/kenya/borrowers/B-LONG/timeline/",
        "timeline of 5,000, a loan": "/apps/kenya/loans/L-000001/timeline/",
        "borrower, what was done": "/apps/kenya/borrowers/B-000007/",
        "audit trail": TRAIL,
        "audit trail, two million entries on": f"{TRAIL}?before={deep_entry}",
        "audit trail, a person": f"{TRAIL}?person=Clerk-007",
        "audit trail, an action": f"{TRAIL}?action=sign-in",
        "audit trail, a rare action": f"{TRAIL}?action=dashboard.people.manage",
        "audit trail, no such action": f"{TRAIL}?action=none",
        "audit trail, an app": f"{TRAIL}?app=ghana",
        "audit trail, a loan": f"{TRAIL}?record=L-000007&app=kenya",
        "audit trail, a borrower": f"{TRAIL}?record=B-000007&app=kenya",
        "audit trail, a borrower and that week": f"{TRAIL}?record=B-000007&{days}",
        "audit trail, a repayment": f"{TRAIL}?record=rp-{recorded}&app=kenya",
        "audit trail, no such record": f"{TRAIL}?record=none",
        "audit trail, a week of half a year ago": f"{TRAIL}?{days}",
        "audit trail, a person and that week": f"{TRAIL}?person=clerk-007&{days}",
        "audit trail, a person and a rare action": (
            f"{TRAIL}?person=clerk-007&action=dashboard.people.manage"
        ),
        "audit trail, a rare action, an app, that week": (
            f"{TRAIL}?action=dashboard.people.manage&app=ghana&{days}"
        ),
    }


def beats() -> dict[str, Callable[[], object]]:
    """What the worker does at each beat, and what a form asks before it is sent."""
    from django.utils import timezone

    from lendingadmin.core import gateway
    from lendingadmin.core.staff import erasure
    from lendingadmin.core.staff.models import User
    from lendingadmin.desk.portfolio import saved_lists
    from lendingadmin.desk.portfolio.loan_list_form import KINDS
    from lendingadmin.desk.portfolio.models import SavedList
    from lendingadmin.money.repayments import lookalikes, notifications, reconciliation, tasks
    from lendingadmin.money.repayments.models import Repayment
    from lendingadmin.money.repayments.services import Request, find_abandoned
    from lendingadmin.money.writes import reconciliation as other_writes
    from lendingadmin.money.writes import tasks as web_tasks
    from lendingadmin.records.assessments import known
    from lendingadmin.records.assessments.models import KnownAssessment
    from lendingadmin.records.borrowers import panels

    now, manager = timezone.now(), User.objects.get(username="manager")
    asked = Request("kenya", "L-000007", "B-000007", "TX4711", Decimal(500), now, now)

    def pin() -> None:
        for show in KINDS:
            saved = SavedList.objects.create(
                app_id="kenya", name=f"list {show}", query=f"show={show}&pageSize=50", owner=manager
            )
            saved.pinned_by.add(manager)

    def sidebar() -> object:
        return saved_lists.list_sidebar_entries(gateway.lending_app("kenya"), manager)

    def sidebar_anew() -> object:
        saved_lists._counted.clear()
        return sidebar()

    one = KnownAssessment.objects.earliest("pk")
    borrower, kenya = one.account_id.partition(":")[2], gateway.app("kenya")

    def fall_due() -> None:
        Repayment.objects.filter(next_check_at__isnull=False).update(next_check_at=now)

    return {
        "look-alikes": lambda: lookalikes.look_alikes(asked, "form"),
        "what a repayment may double": lambda: list(find_abandoned("kenya", "L-000007", "TX4711")),
        "a borrower's assessments": lambda: panels.prepare_assessments(kenya, borrower, None),
        "a borrower's assessments, a later page": (
            lambda: panels.prepare_assessments(kenya, borrower, str(one.pk))
        ),
        "an assessment is kept": lambda: known.keep("kenya", known.make_assessment(one)),
        "other writes in doubt": lambda: other_writes.list_unconfirmed("kenya", manager),
        "sidebar: six lists of loans": _after(pin, sidebar),
        "sidebar: the same, after a repayment": sidebar_anew,
        "beat: sweep": reconciliation.conclude_overdue,
        "beat: repayments, nothing due": tasks.beat,
        "beat: who is to be told": lambda: notifications.list_unnotified().exists(),
        "beat: other writes": web_tasks.beat,
        "beat: other writes, sweep": other_writes.mark_lost_unknown,
        "hourly: what was entered is forgotten": other_writes.prune_submitted,
        "six-hourly: old texts are erased": erasure.erase_old,
        "checks that are due": _after(fall_due, reconciliation.list_due),
        "beat: repayments, checks are due": tasks.beat,
    }


def _after(prepare: Callable[[], object], act: Callable[[], object]) -> Callable[[], object]:
    """The work, prepared for before its first round, which is not measured."""
    prepared: list[object] = []

    def work() -> object:
        if not prepared:
            prepared.append(prepare() or True)
        return act()

    return work


def exports() -> dict[str, str]:
    """What legitimately reads many rows."""
    from django.utils import timezone

    until = timezone.localdate() - timedelta(days=150)
    month = f"since={until - timedelta(days=30)}&until={until}"
    return {
        "CSV of the whole journal": f"{JOURNAL}export.csv?technical=1",
        "CSV of a month": f"{JOURNAL}export.csv?{month}",
        "CSV of a month by transaction date": f"{JOURNAL}export.csv?{month}&by=transactionDate",
        "CSV of all that is in doubt": f"{JOURNAL}export.csv?state=doubtful",
        "CSV of an end of day": f"{JOURNAL}day/export.csv?date={until}",
    }


def scans_of(queries: list[Any]) -> list[str]:
    """What of these reads a large table whole, by the plan of the database at hand."""
    from django.db import connection

    from tests import plans

    if connection.vendor == "sqlite":
        return plans.scans_of(queries)
    found = []
    for sql, params in queries:
        # What changes rows is not done again for its plan.
        how = "ANALYZE, " if re.match(r"SELECT(?!.*FOR UPDATE)", sql, re.DOTALL) else ""
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN ({how}FORMAT JSON) {sql}", params)
            plan = cursor.fetchone()[0]
        plan = json.loads(plan) if isinstance(plan, str) else plan
        found += [f"{words}\n    {sql}" for words in _vast(plan[0]["Plan"], plans.LARGE)]
    return found


@cache
def _is_large(table: str) -> bool:
    """Whether it holds more rows than a page may read: a smaller one is rightly read whole."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", [table])
        return bool(cursor.fetchone()[0] > READ)


def _vast(node: dict[str, Any], large: tuple[str, ...]) -> Iterator[str]:
    """The steps of a plan of PostgreSQL that read too much of a large table."""
    rows = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
    read = rows * node.get("Actual Loops", 1)
    if node.get("Relation Name") in large:
        if node["Node Type"] == "Seq Scan" and _is_large(node["Relation Name"]):
            yield f"Seq Scan on {node['Relation Name']}"
        elif read > READ:
            yield f"{node['Node Type']} reads {read:,} rows of {node['Relation Name']}"
    for part in node.get("Plans", ()):
        yield from _vast(part, large)


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's own output


if __name__ == "__main__":
    main()
