"""The dashboard as it runs in production: gunicorn with two workers, and the reconciler beside it.

Everything is under one folder, or in a PostgreSQL database of its own where DATABASE_URL names a
server; it is dropped at the end.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import requests

from tests.proof.desk import Page

ROOT = Path(__file__).resolve().parents[2]
_PYTHON = sys.executable


class Dashboard:
    """Its processes. `sessions` holds the session of each person by name."""

    def __init__(self, folder: Path, service: str, database: str, people: int, quiet: str) -> None:
        self._folder = folder
        self._environ = os.environ | make_environ(service, database, quiet)
        prepared = self._run("-m", "tests.proof.prepare", str(people))
        self.sessions: dict[str, str] = json.loads(prepared)
        self._hosts: list[subprocess.Popen[bytes]] = []
        self.url = self.start_host()
        self._gunicorn = self._hosts[0]
        self._reconcilers = [self._start("reconcile", "manage.py", "reconcile", "--every", "2")]

    def start_host(self) -> str:
        """Start gunicorn, as on a host of its own before the same database; its address."""
        port = _free_port()
        gunicorn = ("-m", "gunicorn", "lendingadmin.wsgi", "--bind", f"127.0.0.1:{port}")
        worker = ("--worker-class", "lendingadmin.web_server.Worker")
        size = ("--workers", "2", "--threads", "16", "--no-control-socket")
        self._hosts.append(self._start("gunicorn", *gunicorn, *worker, *size))
        self._wait(url := f"http://127.0.0.1:{port}")
        return url

    def kill_host(self) -> None:
        """End the first host at once, with its workers."""
        pid = self._gunicorn.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for one in (pid, *map(int, children)):
            os.kill(one, signal.SIGKILL)
        self._gunicorn.wait()

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; what it prints."""
        return self._run("manage.py", *arguments)

    def run_python(self, code: str) -> str:
        """Run some Python in the environment of the dashboard; what it prints."""
        return self._run("-c", code)

    def _run(self, *arguments: str) -> str:
        return subprocess.run(
            [_PYTHON, *arguments], cwd=ROOT, env=self._environ, check=True, text=True,
            stdout=subprocess.PIPE, stderr=(self._folder / "runs.log").open("a"),
        ).stdout  # fmt: skip

    def _start(self, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        log = (self._folder / f"{name}.log").open("ab")
        command = [_PYTHON, *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self._environ, stdout=log, stderr=log)

    def _wait(self, url: str) -> None:
        for _ in range(300):
            try:
                if requests.get(f"{url}/healthz", timeout=5).ok:
                    return
            except (requests.ConnectionError, requests.Timeout):
                time.sleep(0.1)
        raise AssertionError(f"gunicorn does not answer; see {self._folder}/gunicorn.log")

    def kill_a_worker(self) -> None:
        """End one of gunicorn's workers at once; gunicorn starts another."""
        pid = self._gunicorn.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)

    def kill_the_reconciler(self) -> None:
        """End the reconciler at once, and start another."""
        self._reconcilers[-1].kill()
        self._reconcilers.append(self._start("reconcile", "manage.py", "reconcile", "--every", "2"))

    def reconcile_later(self, *minutes: float) -> None:
        """Let the reconciler run again and again, each time so many minutes later."""
        self._run("-m", "tests.proof.later", *map(str, minutes))

    def stop(self) -> None:
        for process in (*self._hosts, *self._reconcilers):
            process.terminate()
        for process in (*self._hosts, *self._reconcilers):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Session:
    """A browser session of one person over HTTP."""

    def __init__(self, dashboard: Dashboard, person: str, url: str = "") -> None:
        self._url, self.person = url or dashboard.url, person
        self._http = requests.Session()
        self._http.trust_env = False
        self._http.cookies.set("sessionid", dashboard.sessions[person])

    def get(self, path: str) -> Page:
        return self._send("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> Page:
        return self._send("POST", path, fields)

    def _send(self, method: str, path: str, fields: dict[str, str] | None) -> Page:
        """A page; status 0 where the connection broke, as when a worker is killed."""
        headers = {"X-CSRFToken": self._http.cookies.get("csrftoken", "")}
        try:
            answer = self._http.request(
                method, self._url + path, data=fields, headers=headers,
                allow_redirects=False, timeout=120,
            )  # fmt: skip
        except requests.RequestException:
            return Page(0, "")
        return Page(answer.status_code, answer.text, answer.headers.get("Location", ""))


def make_environ(service: str, database: str, quiet: str) -> dict[str, str]:
    """What the processes of a dashboard before this service are given."""
    return {
        "DJANGO_SETTINGS_MODULE": "tests.proof.settings",
        "PYTHONPATH": str(ROOT),
        "LENDING_BASE_URL": service,
        "LENDING_AUTH_URL": service,
        "LENDING_CLIENT_ID": "proof",
        "LENDING_CLIENT_SECRET": "proof",
        "LENDING_PROJECT_ID": "demo",
        "LENDING_APPS": "kenya:KES:Africa/Nairobi",
        "REPAYMENT_QUIET": quiet,
        "AUDIT_ANCHOR": "none",
        "EXPORTS_PER_DAY": "1000000",
        "SNAPSHOT_EVERY": "0s",
        "PEOPLE_EVERY": "0s",
        "SECRET_KEY": "proof-only",
        "DATA_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubP8=",  # pragma: allowlist secret
        "PEOPLE_KEYS": "cGVvcGxlLXRlc3RzLXBlb3BsZS10ZXN0cy1wZW9wbP8=",  # pragma: allowlist secret
        "DEBUG": "off",
        "HTTPS": "off",
        "ALLOWED_HOSTS": "127.0.0.1",
        "DATABASE_URL": database,
        "EMAIL_URL": "memorymail://",
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """The address of an empty database: a file, or where DATABASE_URL names a server, there."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        yield f"sqlite:///{folder / 'dashboard.sqlite3'}"
        return
    name = f"lendingadmin_proof_{os.getpid()}"
    own = urlsplit(server)._replace(path=f"/{name}").geturl()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield own
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
