"""`python -m tests.proof.faults`: the table of faults, in Markdown, as docs/faults.md has it.

A web process as the Procfile starts it, before servers that go away, hang and come back: a Redis of
its own, and the database and the lending service behind taps. What a person sees is what stands in
the page; what was sent is what the service's own log says. Without a PostgreSQL server in
DATABASE_URL it runs on SQLite, which has no such faults; without redis-server those of Redis are
left out. Ends with 1 where something does not hold.
"""

# Django must be set up before its models can be imported.
# ruff: noqa: E402

import html
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

import django
import requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.proof import dashboard
from tests.proof.dashboard import Session
from tests.proof.desk import Confirm, Page, fill_in, form_url, open_confirm, press
from tests.proof.hostile import Hostile
from tests.proof.prepare import PASSWORD
from tests.proof.taps import REDIS_SERVER, Redis, Tap, run_redis
from tests.web_process import ROOT, run_web_process

APP = "/apps/kenya"
LIST = f"{APP}/loans/"
NOTHING_SENT = "Nothing was sent"
PEOPLE = 4
_INFO = re.compile(r"^\S+ \S+ INFO |^\[.*\] \[INFO\] ")
_NOTICE = re.compile(r'<section class="notice (?:bad|warn|odd)[^>]*>.*?</section>', re.DOTALL)
_HEADING = re.compile(r"<h1[^>]*>.*?</h1>", re.DOTALL)
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass
class Size:
    """How much: a fault lasts `seconds`; `asked` pages meet it, and `asked_hanging` one that
    hangs; `people` ask at once where all threads are taken; a probe is asked `probes` times."""

    seconds: float = 10.0
    asked: int = 200
    asked_hanging: int = 32
    people: int = 60
    probes: int = 60


@dataclass
class Row:
    """One fault as it went. `told` is what the pages said; `sent` how many repayments reached the
    service while it lasted; `lines` what the log has of it besides a line for each request."""

    fault: str
    told: dict[str, Page] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    asked: int = 0
    lines: int = 0
    lasted: float = 0.0
    back_after: float = 0.0
    paid_in_the_end: int = 0
    p95: dict[str, float] = field(default_factory=dict)


class Stage:
    """The web process, what it depends on, and the people before it."""

    def __init__(
        self, url: str, log: Path, sessions: dict[str, str], hostile: Hostile, service: Tap
    ) -> None:
        self.url, self.sessions, self.hostile, self.service = url, sessions, hostile, service
        self._log, self._entered = log, 0
        self.database: Tap | None = None
        self.redis: Redis | None = None

    def open_session(self, person: str) -> Session:
        """A browser in which this person is signed in."""
        return Session(self, person)  # type: ignore[arg-type]  # it asks for url and sessions

    def enter(self) -> tuple[Confirm, str, Session]:
        """A new repayment of somebody up to its confirm step, and its transaction id."""
        self._entered += 1
        external_id, browser = f"FAULT-{self._entered}", self.open_session("support1")
        url = fill_in(browser, form_url("kenya", f"L-{self._entered}"), external_id, "75.25")
        confirm = open_confirm(browser, url) if url else None
        assert confirm, "no confirm step before the fault"
        return confirm, external_id, browser

    def count(self, kind: str, external_id: str) -> int:
        """How often the service has this in its log."""
        events = self.hostile.events()
        return sum(one.kind == kind and one.external_id == external_id for one in events)

    def read_log(self, since: int) -> list[str]:
        """The lines since so many characters, without those of what went as usual."""
        lines = self._log.read_text()[since:].splitlines()
        return [line for line in lines if line.strip() and not _INFO.match(line)]

    def measure_log(self) -> int:
        """How many characters the log has."""
        return len(self._log.read_text())

    def probe(self, path: str) -> Page:
        """What a monitor is answered."""
        try:
            answer = requests.get(self.url + path, timeout=60)
        except requests.RequestException:
            return Page(0, "")
        return Page(answer.status_code, answer.text)

    def sign_in(self) -> Page:
        """Sign in with a password, up to the first page that is no form."""
        browser = requests.Session()
        page = browser.get(f"{self.url}/accounts/login/", timeout=120)
        if found := _CSRF.search(page.text):
            fields = {"login": "manager0", "password": PASSWORD, "csrfmiddlewaretoken": found[1]}
            page = browser.post(
                f"{self.url}/accounts/login/", data=fields, allow_redirects=False, timeout=120
            )
        return Page(page.status_code, page.text, page.headers.get("Location", ""))


@contextmanager
def open_stage(folder: Path) -> Iterator[Stage]:
    """Start everything; it is ended behind the block."""
    with ExitStack() as stack:
        hostile = stack.enter_context(Hostile(folder, loans=200))
        service = Tap("127.0.0.1", urlsplit(hostile.url).port or 0)
        stack.callback(service.cut)
        address = stack.enter_context(dashboard.database(folder))
        place = f"http://127.0.0.1:{service.port}"
        environ = dashboard.make_environ(place, address, 20)
        prepared = subprocess.run(
            [sys.executable, "-m", "tests.proof.prepare", str(PEOPLE)],
            cwd=ROOT, env=os.environ | environ, check=True, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        database = redis = None
        if address.startswith("postgres"):
            parts = urlsplit(address)
            database = Tap(parts.hostname or "127.0.0.1", parts.port or 5432)
            stack.callback(database.cut)
            login = parts.netloc.rpartition("@")[0]
            tapped = parts._replace(netloc=f"{login}@127.0.0.1:{database.port}").geturl()
            environ["DATABASE_URL"] = tapped
        if REDIS_SERVER:
            redis = stack.enter_context(run_redis(folder))
            environ["CACHE_URL"] = f"redis://127.0.0.1:{redis.port}/0"
        log, inside = folder / "web.log", "lendingadmin.wsgi"
        port = stack.enter_context(run_web_process(log, inside, environ))
        url = f"http://127.0.0.1:{port}"
        stage = Stage(url, log, json.loads(prepared.stdout), hostile, service)
        stage.database, stage.redis = database, redis
        stage.open_session("manager0").get(LIST)
        yield stage


def play_all(stage: Stage, size: Size) -> Iterator[Row]:
    """Each fault that this stage can have, one after the other."""
    if redis := stage.redis:
        yield play(stage, f"Redis gone for {size.seconds:.0f} s", redis.stop, redis.start, size)
        yield play(stage, "Redis hangs", redis.hang, redis.go_on, size)
    if database := stage.database:
        yield play(stage, "PostgreSQL gone", database.cut, database.restore, size)
        hanging = Size(size.seconds, size.asked_hanging)
        yield play(stage, "PostgreSQL hangs", database.hang, database.restore, hanging)
    service = stage.service
    yield play(stage, "The lending service gone", service.cut, service.restore, size)
    full = f"The lending service hangs, {size.people} people wait for it"
    yield play(stage, full, service.hang, service.restore, size, is_full=True)


def play(
    stage: Stage,
    fault: str,
    begin: Callable[[], None],
    end: Callable[[], None],
    size: Size,
    *,
    is_full: bool = False,
) -> Row:
    """One fault: what is seen while it lasts, and how long it is felt afterwards."""
    row, (confirm, external_id, clerk) = Row(fault), stage.enter()
    reader, began_in_log = stage.open_session("manager0"), stage.measure_log()
    begin()
    began = time.monotonic()
    with ask_at_once(stage, size.people if is_full else 0):
        if is_full:
            time.sleep(2)  # until who came first holds every place
            row.p95 = {path: measure(stage, path, size.probes) for path in ("/healthz", "/readyz")}
        row.told["list"] = reader.get(LIST)
        row.told["confirm"] = press(clerk, confirm)
        row.told["sign-in"] = stage.sign_in()
        row.told["suggestions"] = reader.get("/apps/kenya/borrowers/used-values")
        row.told["/readyz"] = stage.probe("/readyz")
        row.told["/healthz"] = stage.probe("/healthz")
        row.sent = stage.count("arrived", external_id)
        row.asked = 0 if is_full else ask_many(stage, size.asked)
        time.sleep(max(0.0, began + size.seconds - time.monotonic()))
        row.lasted = time.monotonic() - began
        row.lines = len(stage.read_log(began_in_log))
        end()
        ended = time.monotonic()
    row.back_after = wait_until_well(stage, reader, ended)
    press(clerk, confirm)  # as somebody does who was told to send it again
    row.paid_in_the_end = stage.count("committed", external_id)
    row.words = {name: spell(page) for name, page in row.told.items()}
    return row


@contextmanager
def ask_at_once(stage: Stage, people: int) -> Iterator[None]:
    """So many people who ask for lists again and again within the block."""
    is_over = threading.Event()

    def ask() -> None:
        browser = stage.open_session("manager0")
        while not is_over.is_set():
            browser.get(LIST)

    asking = [threading.Thread(target=ask, daemon=True) for _ in range(people)]
    for one in asking:
        one.start()
    try:
        yield
    finally:
        is_over.set()
        for one in asking:
            one.join()


def ask_many(stage: Stage, count: int) -> int:
    """Ask for the list so many times, sixteen at once."""
    left = iter(range(count))
    lock = threading.Lock()

    def ask() -> None:
        browser = stage.open_session("manager0")
        while True:
            with lock:
                if next(left, None) is None:
                    return
            browser.get(LIST)

    asking = [threading.Thread(target=ask, daemon=True) for _ in range(16)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    return count


def measure(stage: Stage, path: str, times: int) -> float:
    """Within how many seconds 95 of 100 such probes are answered."""
    taken = []
    for _ in range(times):
        began = time.monotonic()
        stage.probe(path)
        taken.append(time.monotonic() - began)
        time.sleep(0.05)
    return quantiles(taken, n=20)[-1]


def wait_until_well(stage: Stage, reader: Session, since: float) -> float:
    """Seconds until pages and `/readyz` are as before. Raises AssertionError after two minutes."""
    while time.monotonic() - since < 120:
        page, ready = reader.get(LIST), stage.probe("/readyz")
        if page.status == 200 and not _NOTICE.search(page.text) and spell(ready) == "ready":
            return time.monotonic() - since
        time.sleep(0.2)
    raise AssertionError("it does not work again by itself")


def spell(page: Page) -> str:
    """What a page says to who reads it: its notice, else its heading, else where it leads."""
    if not page.status:
        return "the connection broke"
    if page.location:
        return f"to {re.sub('[0-9]+', 'N', urlsplit(page.location).path)}"
    if "<" not in page.text:
        # No worker runs beside it, which is no fault of this table.
        lines = [one for one in page.text.splitlines() if "no worker" not in one]
        return "; ".join(lines)
    found = _NOTICE.search(page.text) or _HEADING.search(page.text)
    bare = re.sub(r"<[^>]+>", " ", found[0]) if found else ""
    return " ".join(html.unescape(bare).split())


def judge(row: Row, longest_p95: float = 0.2) -> list[str]:
    """What does not hold of a row."""
    statuses = {name: page.status for name, page in row.told.items()}
    wanted = {"/healthz": statuses["/healthz"] == 200}
    ready = row.words["/readyz"]
    kind = row.fault.split()[0]
    if kind == "Redis":
        wanted |= {
            f"{name} is {statuses[name]}": statuses[name] == 200 for name in ("list", "suggestions")
        }
        wanted |= {"it is recorded": bool(row.told["confirm"].receipt)}
        wanted |= {"/readyz warns": ready.startswith("ready; warning: the cache does not answer")}
    elif kind == "PostgreSQL":
        for name in ("list", "confirm", "sign-in", "/readyz"):
            wanted[f"{name} is {statuses[name]}"] = statuses[name] == 503
        wanted |= {"it says that nothing was sent": NOTHING_SENT in row.words["confirm"]}
        wanted |= {"nothing was sent": not row.sent}
        wanted |= {"/readyz says why": ready == "not ready: the database does not answer"}
    else:
        wanted |= {"the host stays": ready == "ready"}
    if kind != "PostgreSQL":
        wanted |= {f"sign-in is {statuses['sign-in']}": statuses["sign-in"] == 302}
    if kind != "The":
        # One of the outage each ten seconds, and two for the change that /readyz tells.
        wanted |= {f"{row.lines} lines": row.lines <= 3 + row.lasted / 10}
        wanted |= {f"it is paid {row.paid_in_the_end} times": row.paid_in_the_end == 1}
    wanted |= {"it is paid once at most": row.paid_in_the_end <= 1}
    if "othing was sent" in row.words["confirm"]:
        wanted |= {"what is told is true": not row.sent}
    for path, seconds in row.p95.items():
        wanted |= {f"{path}: p95 {seconds * 1000:.0f} ms": seconds <= longest_p95}
    wanted |= {f"back after {row.back_after:.0f} s": row.back_after <= 20}
    return [words for words, holds in wanted.items() if not holds]


COLUMNS = (
    "Fault", "A list", "Confirming a repayment", "Sign-in", "Sent", "`/readyz`",
    "Lines in the log", "Works again after",
)  # fmt: skip


def build_cells(row: Row) -> list[str]:
    """A row of the table."""

    told = [
        f"{row.told[name].status}: {row.words[name]}" for name in ("list", "confirm", "sign-in")
    ]
    ready = f"{row.told['/readyz'].status}: {row.words['/readyz']}"
    if row.p95:
        p95 = ", ".join(f"`{path}` {took * 1000:.0f} ms" for path, took in row.p95.items())
        ready += f" (p95: {p95})"
    lines = f"{row.lines} in {row.lasted:.0f} s"
    if row.asked:
        lines += f", {row.asked} pages"
    return [row.fault, *told, str(row.sent), ready, lines, f"{row.back_after:.1f} s"]


def print_row(cells: list[str]) -> None:
    """One line of Markdown."""
    print("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |", flush=True)  # noqa: T201


def main() -> int:
    """Print the table; 1 where something does not hold."""
    is_well = True
    with (
        tempfile.TemporaryDirectory(prefix="prove-faults-") as name,
        open_stage(Path(name)) as stage,
    ):
        print_row(list(COLUMNS))
        print_row(["---"] * len(COLUMNS))
        for row in play_all(stage, Size()):
            print_row(build_cells(row))
            for words in judge(row):
                is_well = False
                print(f"! {row.fault}: {words}", file=sys.stderr, flush=True)  # noqa: T201
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
