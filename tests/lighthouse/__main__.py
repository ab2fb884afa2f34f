"""Lighthouse on the pages that people wait for most, medians of several runs: `make lighthouse`.

    python -m tests.lighthouse [--runs 5] [--only desk] [--form desktop]

It is fetched by Node's own client when this runs, so nothing of it is kept here but its version.
The house is the demo's: gunicorn, static files compressed, plain HTTP on this machine; the person
is signed in by the cookie of a session. A figure is of the machine that it was taken on, and of one
that has nothing else to do.
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.browser.staged import Stage, staged
from tests.node import explain_missing

VERSION = "12.8.2"
_LEAST_NODE = 18
FORMS = ("mobile", "desktop")
AIMS = {"performance": 95, "accessibility": 100, "best-practices": 100}
# Who looks at it, and where; a stranger at the sign-in.
PAGES = {
    "sign-in": ("", "/accounts/login/"),
    "home": ("support", "/apps/kenya/"),
    "loans list": ("support", "/apps/kenya/loans/"),
    "loan": ("support", "/apps/kenya/loans/{late_loan}/"),
    "offer": ("officer", "/apps/kenya/borrowers/{offered_to}/offers/staged-done/"),
    "offers": ("officer", "/apps/kenya/borrowers/{offered_to}/offers/"),
}
Scores = Mapping[str, float]


def main(arguments: list[str]) -> int:
    """Measure and print; 1 where an aim was missed, 2 where it can't be measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=PAGES)
    parser.add_argument("--form", choices=FORMS)
    parser.add_argument("--reports", type=Path, help="a folder to keep the reports in")
    asked = parser.parse_args(arguments)
    if missing := _missing():
        _say(missing)
        return 2
    forms = (asked.form,) if asked.form else FORMS
    well = True
    with staged() as stage, tempfile.TemporaryDirectory() as kept:
        folder = asked.reports or Path(kept)
        folder.mkdir(parents=True, exist_ok=True)
        _say(f"Lighthouse {VERSION}, {asked.runs} runs each: median (least to most)")
        _say(f"{'page':<12}{'form':<9}" + "".join(f"{name:<22}" for name in AIMS))
        for page in [asked.only] if asked.only else PAGES:
            for form in forms:
                runs = [_run(stage, page, form, folder, run) for run in range(asked.runs)]
                well &= _tell(page, form, runs)
    return 0 if well else 1


def _missing() -> str:
    """What this machine lacks for it; empty where nothing."""
    if missing := explain_missing("Lighthouse", _LEAST_NODE):
        return missing
    return "" if chromium.find() else f"Lighthouse was not run: {chromium.MISSING}."


def _run(stage: Stage, page: str, form: str, folder: Path, run: int) -> Scores:
    """One run; scores from 0 to 100 by category."""
    person, path = PAGES[page]
    address = stage.house.address + path.format_map(stage.names)
    report = folder / f"{page.replace(' ', '-')}-{form}-{run + 1}.json"
    command = [
        *("npx", "--yes", "--loglevel=error", f"lighthouse@{VERSION}", address),
        *("--quiet", "--output=json", f"--output-path={report}"),
        f"--only-categories={','.join(AIMS)}",
        # It would take the session away; what it spares us is a browser with nothing kept.
        "--disable-storage-reset",
    ]
    if form == "desktop":
        command.append("--preset=desktop")
    for last in (False, True):
        with _browser(stage.cookies(person) if person else []) as port:
            done = subprocess.run([*command, f"--port={port}"], stdin=subprocess.DEVNULL)
        # Now and then it loses its browser; once more, and then it is a fault.
        if done.returncode == 0:
            break
        if last:
            raise SystemExit(f"{page}: Lighthouse ended with {done.returncode}")
    found: Any = json.loads(report.read_text())
    shown = found["finalDisplayedUrl"]
    if shown != address:
        raise SystemExit(f"{page}: the browser came to {shown}")
    return {name: 100 * (found["categories"][name]["score"] or 0) for name in AIMS}


@contextmanager
def _browser(cookies: list[Any]) -> Iterator[int]:
    """A new Chromium that is signed in; the port that it is driven by.

    Lighthouse's own way, headers for every request, leaves out what the page itself asks for.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            str(chromium.find()),
            *("--headless=new", f"--remote-debugging-port={port}", f"--user-data-dir={profile}"),
            *("--no-first-run", "--disable-extensions", "--disable-background-networking"),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            "about:blank",
        ]
        quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, start_new_session=True, **quiet) as running:
            try:
                _wait_for(port)
                if cookies:
                    with sync_playwright() as playwright:
                        driven = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
                        driven.contexts[0].add_cookies(cookies)
                        driven.close()
                yield port
            finally:
                os.killpg(running.pid, signal.SIGTERM)


def _wait_for(port: int, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _tell(page: str, form: str, runs: list[Scores]) -> bool:
    """Print the line of a page; whether it meets the aims."""
    middle = {name: statistics.median(run[name] for run in runs) for name in AIMS}
    cells = [
        f"{middle[name]:.0f} ({min(run[name] for run in runs):.0f}–"
        f"{max(run[name] for run in runs):.0f})"
        for name in AIMS
    ]
    missed = [name for name, aim in AIMS.items() if round(middle[name]) < aim]
    end = f"  below the aim: {', '.join(missed)}" if missed else ""
    _say(f"{page:<12}{form:<9}" + "".join(f"{cell:<22}" for cell in cells) + end)
    return not missed


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
