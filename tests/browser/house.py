"""Sandbox and dashboard as real processes, on ports and databases of their own."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page

from lendingadmin.demo import serving
from lendingadmin.demo.environment import BASE_DIR, PASSWORD, kept_secrets, variables
from lendingadmin.demo.processes import Processes
from tests.databases import copy_to_file, hash_code, keep_model
from tests.faults.behaviours import forward
from tests.faults.server import FaultServer
from tests.web_process import find_free_ports

_PREPARE = """
import django
django.setup()
from lendingadmin.demo.preparing import prepare_dashboard
prepare_dashboard()
"""


@dataclass(frozen=True)
class House:
    """Where a running dashboard and its sandbox answer, and the environment that they run in."""

    address: str
    sandbox: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


class WeakHouse(NamedTuple):
    """A running product, and the proxy through which its dashboard reaches the sandbox."""

    house: House
    proxy: FaultServer


@contextmanager
def running(
    folder: Path,
    *,
    service: Callable[[str], str] = lambda sandbox: sandbox,
    fill: bool = True,
    settings: dict[str, str] | None = None,
    processing: float = 4,
) -> Iterator[House]:
    """Run sandbox and dashboard with everything they keep under `folder`.

    `service` is given the sandbox's address and answers the one that the dashboard shall use: a
    proxy's, when something goes wrong between them. `settings` overrules variables, also those of
    house_settings.py. The sandbox takes `processing` seconds over assessments, events and offers.
    """
    if fill:
        # What it shows depends on the day, and a little on the hour.
        state = hash_code("lendingadmin/sandbox", "lendingadmin/demo")
        model = keep_model("house", f"{state}-{datetime.now(UTC):%d%H}", _fill)
        shutil.copytree(model, folder, dirs_exist_ok=True)
    else:
        copy_to_file(folder / "demo.sqlite3")
    port = find_free_ports()
    sandbox = f"http://127.0.0.1:{port + 1}"
    environ = _build_environ(folder, port)
    environ |= {"LENDING_BASE_URL": service(sandbox), **(settings or {})}
    with Processes() as processes:
        takes = ("--processing-seconds", str(processing))
        processes.start("sandbox", _serve_sandbox(folder, port, *takes), environ)
        processes.start("preparation", [sys.executable, "-c", _PREPARE], environ)
        processes.finish("preparation")
        processes.wait_until_ready("sandbox", port + 1)
        processes.start("dashboard", serving.dashboard("127.0.0.1", port), environ)
        processes.wait_until_ready("dashboard", port, "/healthz")
        yield House(f"http://localhost:{port}", sandbox, environ)


@contextmanager
def running_weakly(
    folder: Path, settings: dict[str, str] | None = None, processing: float = 4
) -> Iterator[WeakHouse]:
    """The same with a proxy between dashboard and sandbox, for what goes wrong on the way."""
    proxy = FaultServer(forward())

    def stand_between(sandbox: str) -> str:
        proxy.upstream = sandbox
        return proxy.url

    try:
        with running(
            folder, service=stand_between, settings=settings, processing=processing
        ) as house:
            yield WeakHouse(house, proxy)
    finally:
        proxy.stop()


def sign_in(page: Page, role: str, path: str = "/") -> None:
    """Sign in as the demo's person of that role, and go on to a page."""
    page.goto("/accounts/login/")
    page.fill("input[name=login]", role)
    page.fill("input[name=password]", PASSWORD)
    page.click("main form [type=submit]")
    page.wait_for_url(lambda url: "/accounts/login" not in url)
    if path != "/":
        page.goto(path)


def _serve_sandbox(folder: Path, port: int, *arguments: str) -> list[str]:
    return serving.sandbox(port + 1, folder / "sandbox.sqlite3", *arguments)


def _build_environ(folder: Path, port: int) -> dict[str, str]:
    return {
        **os.environ,
        **variables({"PORT": str(port)}, kept_secrets(folder / "demo.env"), folder),
        # Processes of its own must not run with the tests' settings.
        "DJANGO_SETTINGS_MODULE": "tests.browser.house_settings",
        "PYTHONPATH": str(BASE_DIR),
    }


def _fill(folder: Path) -> None:
    """Make in `folder` what a filled sandbox and its dashboard keep."""
    copy_to_file(folder / "demo.sqlite3")
    port = find_free_ports()
    environ = _build_environ(folder, port)
    with Processes() as processes:
        processes.start("sandbox", _serve_sandbox(folder, port, "--fill"), environ)
        processes.start("preparation", [sys.executable, "-c", _PREPARE], environ)
        processes.finish("preparation")
        processes.wait_until_ready("sandbox", port + 1, seconds=180)
