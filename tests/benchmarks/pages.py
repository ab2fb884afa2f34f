"""How quick the pages are, as ratios taken in one run: `make bench`.

Each pair is measured in turns, so that whatever else the machine does falls on both. Nothing here
is asserted: a figure is of the machine that it was taken on.
"""

import html
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

from lendingadmin.demo.environment import BASE_DIR
from tests.benchmarks.places import Place, asker, dashboard, gunicorn, signed_in
from tests.benchmarks.polls import polls

ROUNDS = 7
LOANS_PAGE = "/apps/kenya/loans/"
ADMIN_PAGE = "/admin/auth/loan/"
BORROWER_PAGE = "/apps/kenya/borrowers/B-0001/"


def main() -> None:
    """Measure each pair and print one table."""
    say(f"{'what is compared':<66}{'ratio':>8}  {'spread':<14}aim")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with dashboard(folder, delay=0.1) as slow:
            borrower_page(slow)
        with dashboard(folder) as quick:
            loans_list(quick, folder)
            first_load(quick)
            largest_poll(quick)
        with dashboard(folder, loans=10_000) as small:
            download(small)
            less = small.server.peak()
            few = counted(small)
        with dashboard(folder, loans=100_000) as large:
            export(large)
            memory("a CSV", less, large.server.peak())
            memory("counting the book", few, counted(large))


def borrower_page(place: Place) -> None:
    """The whole borrower page, whose calls take 100 ms each, against one such call."""
    path = f"{place.service}/v1/projects/demo/apps/kenya/borrowers/B-0001"

    def one_call() -> None:
        requests.get(path, timeout=10)

    pair("borrower page, calls of 100 ms ÷ one such call", "≤ 1.25", all_of(place), one_call)


def all_of(place: Place) -> Callable[[], None]:
    """The page and, as a browser does, all the panels that it loads by itself, at the same time."""
    pool, ask = ThreadPoolExecutor(6), asker(place.address, place.session)

    def load() -> None:
        panels = re.findall(r'hx-get="([^"]+)"[^>]*hx-trigger="load', ask(BORROWER_PAGE))
        assert all(pool.map(ask, map(html.unescape, panels)))

    return load


def loans_list(place: Place, folder: Path) -> None:
    """Requests a second: the loans list of 50 rows against the admin's change list.

    Four browsers ask at the same time, so that the one worker always has something to do.
    """
    environ = {**os.environ, "ADMIN_DATABASE": str(folder / "admin.sqlite3")}
    command = [sys.executable, "-m", "tests.benchmarks.adminlist"]
    subprocess.run(command, env=environ, cwd=BASE_DIR, check=True)
    with gunicorn("tests.benchmarks.adminlist:application", environ) as (address, _):
        session = signed_in(address, "/admin/login/", "username", "admin")

        admin_list, ours = asker(address, session), asker(place.address, place.session)
        assert "50 loans" in admin_list(ADMIN_PAGE)
        with ThreadPoolExecutor(4) as browsers:
            pair(
                "loans list, requests a second ÷ those of the admin's list",
                "≥ 3",
                lambda: list(browsers.map(admin_list, [ADMIN_PAGE] * 80)),
                lambda: list(browsers.map(ours, [LOANS_PAGE] * 80)),
            )


def export(place: Place) -> None:
    """CSV of 100,000 loans against bare paging of the same pages."""

    def csv() -> None:
        rows = download(place)
        assert rows > 100_000, rows

    def paging() -> None:
        session, token = requests.Session(), ""
        while token is not None:
            query = {"pageSize": "1000"} | ({"pageToken": token} if token else {})
            path = f"{place.service}/v1/projects/demo/apps/kenya/loans"
            token = session.get(path, params=query, timeout=60).json()["nextPageToken"]

    pair("CSV of 100,000 loans ÷ bare paging with requests", "≤ 1.3", csv, paging, rounds=3)


def download(place: Place) -> int:
    """Take the whole CSV; how many lines it has."""
    address = f"{place.address}{LOANS_PAGE}export.csv"
    with place.session.get(address, stream=True, timeout=600) as answer:
        return sum(piece.count(b"\n") for piece in answer.iter_content(65536))


def counted(place: Place) -> float:
    """Count the book in a process of its own; the most memory that it held, in MB."""
    command = [sys.executable, "-m", "tests.benchmarks.snapshot"]
    told = subprocess.run(command, env=place.environ, cwd=BASE_DIR, check=True, capture_output=True)
    return float(told.stdout.split()[0])


def memory(what: str, less: float, more: float) -> None:
    """The most memory of a process for 10,000 and for 100,000 loans."""
    say(
        f"{f'memory for {what} of 100,000 loans ÷ of 10,000':<66}{more / (less or 1):>8.2f}  "
        f"{f'{less:.0f} – {more:.0f} MB':<14}about 1"
    )


def first_load(place: Place) -> None:
    """What the loans list transfers the first time: the page and all that it links to."""
    page = place.get(LOANS_PAGE).text
    paths = [LOANS_PAGE, *sorted(set(linked(page)))]
    total = sum(transferred(place, path) for path in paths)
    say(f"{'loans list, first load, compressed kB':<66}{total / 1000:>8.1f}  {'':<14}≤ 40")


def largest_poll(place: Place) -> None:
    """What the largest of the polled fragments transfers while it waits."""
    sizes = polls(place)
    largest = max(sizes, key=lambda kind: sizes[kind])
    say(
        f"{'a poll, compressed kB: the largest of ' + ', '.join(sizes):<66}"
        f"{sizes[largest] / 1000:>8.1f}  {largest:<14}≤ 3"
    )


def transferred(place: Place, path: str) -> int:
    """How many bytes an answer's body has on the wire, compressed as the server does it."""
    return len(place.session.get(place.address + path, stream=True).raw.read())


def linked(page: str) -> list[str]:
    """The addresses of the page's styles, scripts and icon."""
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', page)


def pair(
    what: str,
    aim: str,
    numerator: Callable[[], object],
    denominator: Callable[[], object],
    rounds: int = ROUNDS,
) -> None:
    """Run both in turns and print the median of their ratios, with the least and the greatest."""
    numerator(), denominator()
    ratios = [timed(numerator) / timed(denominator) for _ in range(rounds)]
    spread = f"{min(ratios):.2f} – {max(ratios):.2f}"
    say(f"{what:<66}{statistics.median(ratios):>8.2f}  {spread:<14}{aim}")


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's own output


if __name__ == "__main__":
    main()
