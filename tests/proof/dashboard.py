"""The dashboard as it runs in production: the web process, and the reconciler beside it.

Everything is under one folder, or in a PostgreSQL database of its own where DATABASE_URL names a
server; it is dropped at the end.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.databases import copy_to_file, copy_to_server
from tests.proof.desk import Page
from tests.proof.running import Host, Process, stop_all
from tests.web_process import ROOT, build_environ, wait_for


class Dashboard:
    """Its processes. `sessions` holds the session of each person by name."""

    def __init__(self, folder: Path, service: str, database: str, people: int, quiet: int) -> None:
        self._folder = folder
        own = {"AUDIT_ANCHOR": str(folder / "anchor.json")}
        self.environ = os.environ | build_environ(make_environ(service, database, quiet) | own)
        prepared = self._run("-m", "tests.proof.prepare", str(people))
        self.sessions: dict[str, str] = json.loads(prepared)
        self._hosts: list[Host] = []
        self.url = self.start_host()
        command = [sys.executable, "manage.py", "reconcile", "--every", "2"]
        self._reconciler = Process("reconcile", command, self.environ, folder)
        self._reconciler.start()

    def start_host(self) -> str:
        """Start gunicorn, as on a host of its own before the same database; its address."""
        host = Host("gunicorn", self.environ, self._folder)
        host.start()
        self._hosts.append(host)
        wait_for(host.port)
        return f"http://127.0.0.1:{host.port}"

    def kill_host(self) -> None:
        """End the first host at once, with its workers."""
        self._hosts[0].kill()

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py; what it prints."""
        return self._run("manage.py", *arguments)

    def run_python(self, code: str) -> str:
        """Run some Python in the environment of the dashboard; what it prints."""
        return self._run("-c", code)

    def _run(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environ, check=True, text=True,
            stdout=subprocess.PIPE, stderr=(self._folder / "runs.log").open("a"),
        ).stdout  # fmt: skip

    def kill_a_worker(self) -> None:
        """End one of gunicorn's workers at once; gunicorn starts another."""
        self._hosts[0].kill_a_child(random.Random(0))

    def kill_the_reconciler(self) -> None:
        """End the reconciler at once, and start another."""
        self._reconciler.kill()
        self._reconciler.start()

    def reconcile_later(self, *minutes: float) -> None:
        """Let the reconciler run again and again, each time so many minutes later."""
        self._run("-m", "tests.proof.later", *map(str, minutes))

    def stop(self) -> None:
        stop_all([*self._hosts, self._reconciler])


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


def make_environ(service: str, database: str, quiet: int) -> dict[str, str]:
    """What the processes of a dashboard before this service are given; `quiet` is in seconds."""
    return {
        "DJANGO_SETTINGS_MODULE": "tests.proof.settings",
        "PYTHONPATH": str(ROOT),
        "LENDING_BASE_URL": service,
        "LENDING_CLIENT_ID": "proof",
        "LENDING_CLIENT_SECRET": "proof",
        "LENDING_PROJECT_ID": "demo",
        "LENDING_APPS": "kenya:KES:Africa/Nairobi",
        "PROOF_QUIET": str(quiet),
        "AUDIT_ANCHOR": "none",
        "SECRET_KEY": "proof-only",
        "DATA_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubP8=",  # pragma: allowlist secret
        "PEOPLE_KEYS": "cGVvcGxlLXRlc3RzLXBlb3BsZS10ZXN0cy1wZW9wbP8=",  # pragma: allowlist secret
        "DASHBOARD_URL": "http://127.0.0.1",
        "DATABASE_URL": database,
        "EMAIL_URL": "memorymail://",
    }


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """Yield the address of a migrated database: a file, or on the server of DATABASE_URL."""
    server = os.environ.get("DATABASE_URL", "")
    if server.startswith("postgres"):
        with copy_to_server(server, f"lendingadmin_proof_{os.getpid()}") as address:
            yield address
    else:
        path = folder / "dashboard.sqlite3"
        copy_to_file(path)
        yield f"sqlite:///{path}"
