"""Servers for a benchmark: each a gunicorn of one worker, before a canned lending service."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import requests

from lendingadmin.demo.environment import BASE_DIR, kept_secrets, variables

_FRAGMENT = {"HX-Request": "true"}
_PREPARE = """
import django
django.setup()
from lendingadmin.demo.preparing import prepare_dashboard
prepare_dashboard()
"""


class Server(NamedTuple):
    """Where a gunicorn answers, and its number among the processes."""

    address: str
    pid: int

    def peak(self) -> float:
        """The most memory that its worker has held so far, in MB; 0 where Linux does not tell."""
        found = 0.0
        for status in Path("/proc").glob("[0-9]*/status"):
            told = dict(line.split(":", 1) for line in _lines(status) if ":" in line)
            if told.get("PPid", "").strip() == str(self.pid):
                found = max(found, int(told["VmHWM"].split()[0]) / 1024)
        return found


def _lines(status: Path) -> list[str]:
    try:
        return status.read_text().splitlines()
    except OSError:  # it has ended meanwhile
        return []


@dataclass(frozen=True)
class Place:
    """Where a dashboard and the canned service behind it answer, and a signed-in session."""

    address: str
    service: str
    session: requests.Session
    server: Server
    environ: dict[str, str]

    def get(self, path: str) -> requests.Response:
        """A page as the signed-in officer gets it; anything but a 200 ends the benchmark."""
        answer = self.session.get(self.address + path)
        if answer.status_code != 200:
            raise SystemExit(f"{path} answered {answer.status_code}")
        return answer


@contextmanager
def gunicorn(application: str, environ: dict[str, str], threads: int = 8) -> Iterator[Server]:
    """Serve one application with one worker."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}"),
        *("--worker-class", "gthread", "--workers", "1", "--threads", str(threads)),
        *("--log-level", "error", "--no-control-socket", "--keep-alive", "30"),
    ]
    process = subprocess.Popen(
        command, cwd=BASE_DIR, env=environ, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        _wait(port)
        yield Server(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        process.wait(timeout=15)


def _wait(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("a server did not start")


def asker(
    address: str, session: requests.Session, headers: Mapping[str, str] = _FRAGMENT
) -> Callable[[str], str]:
    """What gets pages over and over, in as many threads as one likes, and as lightly as possible.

    Whoever asks shares the machine with the server that is measured. Without `headers` it asks for
    fragments, as pages that poll do.
    """
    parts, mine = urlsplit(address), threading.local()
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in session.cookies)

    def ask(path: str) -> str:
        if not hasattr(mine, "connection"):
            mine.connection = HTTPConnection(str(parts.hostname), parts.port)
        mine.connection.request("GET", path, headers={"Cookie": cookies, **headers})
        answer = mine.connection.getresponse()
        text: str = answer.read().decode()
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}")
        return text

    return ask


@contextmanager
def dashboard(folder: Path, *, delay: float = 0, loans: int = 50) -> Iterator[Place]:
    """The dashboard before a canned service, with the officer signed in, whose day it is."""
    canned = {**os.environ, "CANNED_DELAY": str(delay), "CANNED_LOANS": str(loans)}
    with ExitStack() as stack:
        service, _ = stack.enter_context(gunicorn("tests.benchmarks.canned:app", canned, 32))
        environ = {
            **os.environ,
            **variables({}, kept_secrets(folder / "demo.env"), folder),
            "LENDING_BASE_URL": service,
            "DJANGO_SETTINGS_MODULE": "lendingadmin.settings",
            "PYTHONPATH": str(BASE_DIR),
        }
        subprocess.run([sys.executable, "-c", _PREPARE], env=environ, cwd=BASE_DIR, check=True)
        server = stack.enter_context(gunicorn("lendingadmin.wsgi", environ))
        session = signed_in(server.address, "/accounts/login/", "login", "officer")
        yield Place(server.address, service, session, server, environ)


def signed_in(address: str, path: str, field: str, name: str) -> requests.Session:
    """A session of somebody who has signed in at a form; the password of both places is known."""
    session = requests.Session()
    session.trust_env = False
    page = session.get(address + path).text
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    password = {"admin": "admin"}.get(name, "demo")
    form = {field: name, "password": password, "csrfmiddlewaretoken": token[1] if token else ""}
    session.post(address + path, data=form, headers={"Referer": address + path})
    return session
