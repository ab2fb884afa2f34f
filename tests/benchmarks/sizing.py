"""What a lender's machines must hold: `python -m tests.benchmarks.sizing`, on PostgreSQL.

Fills a database, serves it as the Procfile does before a filled sandbox, and prints as Markdown
what was measured: bytes a row, calls and queries a page, memory of the processes, connections; and
what follows from these for lenders of three sizes. Nothing here is asserted.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
import requests

from lendingadmin.demo.environment import BASE_DIR, kept_secrets, variables
from tests.benchmarks.places import signed_in
from tests.benchmarks.years import postgresql, say
from tests.sandbox_process import SandboxProcess, running_sandbox
from tests.web_process import start_web_process

_FILL = """
import django
django.setup()
from lendingadmin.demo.preparing import prepare_dashboard
from tests.benchmarks import filling, filling_book
prepare_dashboard()
filling.fill(100_000, 500_000, 20_000, 50_000)
filling_book.fill_count(100_000)
"""
KENYA = "/apps/kenya"
CLIENTS, ROUNDS = 20, 15
#: Of what grows: its table, and in words what one row is.
TABLES = {
    "repayments_repayment": "a repayment",
    "repayments_reading": "a reading of a loan",
    "audit_entry": "an entry of the audit trail",
    "writes_write": "another write",
    "assessments_knownassessment": "an assessment",
    "statements_statementline": "a row of a statement",
    "portfolio_snapshotloan": "a loan of the portfolio",
}
#: What one person does in a year, as issue and bench have it: 1,000,000 repayments by 300 people.
YEARLY = {"repayments_repayment": 3_333, "repayments_reading": 6_667, "audit_entry": 16_667}
#: Pages that one person opens in an hour of work, and hours in a day.
PAGES, HOURS = 30, 8
#: Loans and borrowers that one call of a walk reads.
A_CALL = 1_000
#: Bytes of a borrower in the index that finds people, by benchmarks.people on PostgreSQL.
CARD = 1_772


class Lender(NamedTuple):
    """One of those for whom the last table says what follows; of borrowers it has as many as loans.

    `walks` are those of a day, at the interval that the code computes (core/worker/walks.py).
    """

    people: int
    loans: int
    processes: int
    walks: float


LENDERS = (Lender(10, 20_000, 2, 4), Lender(50, 200_000, 2, 4), Lender(300, 2_000_000, 4, 1.2))


class Asked(NamedTuple):
    """What one page cost."""

    calls: int
    queries: int


def main() -> None:
    """Measure, and print three tables and what follows."""
    with tempfile.TemporaryDirectory() as name, postgresql(Path(name)) as address:
        if not address:
            raise SystemExit(1)
        with ExitStack() as stack:
            sandbox = stack.enter_context(running_sandbox(Path(name), "--fill"))
            environ = _make_environ(Path(name), sandbox, address)
            _run(environ, "-c", _FILL)
            sizes = measure_rows(address)
            # The port is chosen there, and the path leads to gunicorn.
            serving = {name: environ[name] for name in environ if name not in ("PORT", "PATH")}
            serving["WEB_CONCURRENCY"] = "2"
            started = start_web_process(application="lendingadmin.wsgi", environ=serving)
            port, web = stack.enter_context(started)
            worker = stack.enter_context(_start(environ, "manage.py", "db_worker"))
            session = signed_in(f"http://127.0.0.1:{port}", "/accounts/login/", "login", "manager")
            pages = measure_pages(f"http://127.0.0.1:{port}", session)
            held = measure_memory(web, worker, f"http://127.0.0.1:{port}", session, address)
        print_lenders(sizes, pages, *held)


def measure_rows(address: str) -> dict[str, float]:
    """Bytes that a row of each table takes, with its indexes."""
    say("\n| one row | bytes, with its indexes |\n|---|---:|")
    sizes = {}
    with psycopg.connect(address) as server:
        for table, words in TABLES.items():
            row = server.execute(
                f"SELECT pg_total_relation_size('{table}')::float / count(*) FROM {table}"
            ).fetchone()
            sizes[table] = row[0] if row else 0.0
            say(f"| {words} | {sizes[table]:,.0f} |")
    return sizes


def measure_pages(address: str, session: requests.Session) -> dict[str, Asked]:
    """Calls to the service and queries that each page makes, once its caches are warm."""
    loan = _find_link(session, address, f"{KENYA}/loans/", f"{KENYA}/loans/(?!lists)")
    borrower = _find_link(session, address, loan, f"{KENYA}/borrowers/(?!new)")
    paths = {
        "home": f"{KENYA}/",
        "list of loans": f"{KENYA}/loans/",
        "a loan": loan,
        "a borrower, with its panels": f"{borrower}?whole=1",
        "form of a repayment": f"{loan}repayments/new",
        "journal": f"{KENYA}/repayments/",
        "end of day": f"{KENYA}/repayments/day/",
        "calls": f"{KENYA}/collections/",
        "overdue loans": f"{KENYA}/loans/lists/?show=overdue",
        "audit trail": "/audit/",
    }
    say("\n| page | calls to the service | queries |\n|---|---:|---:|")
    pages = {}
    for words, path in paths.items():
        session.get(address + path, timeout=60)
        answer = session.get(address + path, timeout=60)
        if answer.status_code != 200:
            raise SystemExit(f"{path} answered {answer.status_code}")
        counts = [int(one) for one in re.findall(r'desc="(\d+) ', answer.headers["Server-Timing"])]
        pages[words] = Asked(counts[1], counts[0])
        say(f"| {words} | {counts[1]} | {counts[0]} |")
    return pages


def _find_link(session: requests.Session, address: str, path: str, begins: str) -> str:
    """The first link of a page to a record, without what stands behind its address."""
    found = re.search(
        rf'href="({begins}[^/"?]+/)["?]', session.get(address + path, timeout=60).text
    )
    if not found:
        raise SystemExit(f"{path} has no link that begins with {begins}")
    return found[1]


def measure_memory(
    web: "subprocess.Popen[bytes]",
    worker: "subprocess.Popen[bytes]",
    address: str,
    session: requests.Session,
    database: str,
) -> tuple[float, float]:
    """What processes hold at first and after the work of many, and their connections meanwhile;
    MB of a web process then, and of the worker.
    """
    cookies = {one.name: one.value or "" for one in session.cookies}
    paths = [f"{KENYA}/", f"{KENYA}/loans/", f"{KENYA}/repayments/", f"{KENYA}/collections/"]

    def work(_: int) -> int:
        most = 0
        for path in paths * ROUNDS:
            requests.get(address + path, cookies=cookies, timeout=120).raise_for_status()
            most = max(most, _count_connections(database))
        return most

    before = _measure_children(web.pid)
    with ThreadPoolExecutor(CLIENTS) as pool:
        most = max(pool.map(work, range(CLIENTS)))
    after, own = _measure_children(web.pid), _measure_process(worker.pid)
    words = f"after {CLIENTS * ROUNDS * len(paths):,} pages for {CLIENTS} people at once"
    say(f"\n| process | memory at first, MB | {words}, MB |\n|---|---:|---:|")
    say(f"| each of the {len(after)} web processes | {max(before):.0f} | {max(after):.0f} |")
    say(f"| the worker | | {own:.0f} |")
    say(f"\nConnections to PostgreSQL, with the worker's: {most} at most.")
    return max(after), own


def print_lenders(
    sizes: dict[str, float], pages: dict[str, Asked], web: float, worker: float
) -> None:
    """What follows for lenders of three sizes, by the figures above."""
    mean = sum(one.calls for one in pages.values()) / len(pages)
    say(
        "\n| people | loans | web processes | memory | connections | disk, a year "
        "| calls a day, by people | a second | calls a day, by the worker |"
    )
    say("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for people, loans, processes, walks in LENDERS:
        grows = sum(sizes[table] * count * people for table, count in YEARLY.items())
        disk = (grows + (sizes["portfolio_snapshotloan"] + CARD) * loans) / 1e9
        calls = people * PAGES * HOURS * mean
        say(
            f"| {people:,} | {loans:,} | {processes} | {processes * web + worker:,.0f} MB "
            f"| {17 * processes + 1} | {disk:.1f} GB | {calls:,.0f} "
            f"| {calls / HOURS / 3600:.1f} | {walks * 2 * loans / A_CALL:,.0f} |"
        )


def _make_environ(folder: Path, sandbox: SandboxProcess, address: str) -> dict[str, str]:
    given = {"DATABASE_URL": address}
    return {
        **os.environ,
        **variables(given, kept_secrets(folder / "demo.env"), folder),
        "LENDING_BASE_URL": sandbox.base_url,
        "LENDING_AUTH_URL": sandbox.auth_url,
        "DJANGO_SETTINGS_MODULE": "lendingadmin.settings",
        "PYTHONPATH": str(BASE_DIR),
    }


def _run(environ: dict[str, str], *arguments: str) -> None:
    subprocess.run(
        [sys.executable, *arguments], env=environ, cwd=BASE_DIR, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


@contextmanager
def _start(environ: dict[str, str], *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environ, cwd=BASE_DIR, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def _measure_children(pid: int) -> list[float]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [_measure_process(int(one)) for one in children]


def _measure_process(pid: int) -> float:
    """MB that it holds in memory, what it shares with others included."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _count_connections(database: str) -> int:
    name = database.rpartition("/")[2]
    with psycopg.connect(f"{database.rpartition('/')[0]}/postgres") as server:
        row = server.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [name]
        ).fetchone()
        return int(row[0]) if row else 0


if __name__ == "__main__":
    main()
