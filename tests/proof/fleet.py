"""The dashboard as a lender runs it on two hosts: nginx of deploy/ with TLS, two web processes and
two workers of the Procfile, Redis, one database; each can be killed and started again.

On SQLite the two web processes are those of one host, before the same file.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import requests

from tests.proof.dashboard import make_environ
from tests.proxies import HOST, run_nginx
from tests.web_process import ROOT, build_environ, find_free_port, read_command, wait_for

REDIS = shutil.which("redis-server")
# Seconds. One that stops ends what it has begun within its --graceful-timeout.
_LONGEST_STOP = 45
_LONGEST_START = 120


class Process:
    """One that can be started again; what it says goes to a file named after it."""

    def __init__(self, name: str, command: list[str], environ: Mapping[str, str], folder: Path):
        self.name, self._command, self._environ = name, command, environ
        self._log = folder / f"{name}.log"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._running is not None
        return self._running.pid

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, cwd=ROOT, env=dict(self._environ), stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def ask_to_stop(self) -> None:
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()

    def stop(self) -> None:
        """Ask it to stop, and wait until it has."""
        self.ask_to_stop()
        if self._running is None:
            return
        try:
            self._running.wait(timeout=_LONGEST_STOP)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        if self._running is not None and self._running.poll() is None:
            os.killpg(self._running.pid, signal.SIGKILL)
            self._running.wait()


class Host(Process):
    """A web process of two children, at `port` of this machine."""

    def __init__(self, name: str, environ: Mapping[str, str], folder: Path) -> None:
        self.port = find_free_port()
        self.environ = {**environ, "PORT": str(self.port), "WEB_CONCURRENCY": "2"}
        super().__init__(name, _read_command("web"), self.environ, folder)

    def is_ready(self) -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{self.port}/readyz", timeout=10).ok
        except requests.RequestException:
            return False

    def wait_until_ready(self) -> None:
        until = time.monotonic() + _LONGEST_START
        while not self.is_ready():
            assert time.monotonic() < until, f"{self.name} is not ready; see {self._log}"
            time.sleep(0.1)

    def kill_a_child(self, at_random: random.Random) -> None:
        """End one of gunicorn's workers at once; gunicorn starts another."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        os.kill(int(at_random.choice(children)), signal.SIGKILL)


def _read_command(process: str) -> list[str]:
    return ["sh", "-c", f"exec {read_command(process)}"]


class Fleet:
    """All of them, started; `url` is where people open the dashboard.

    With `collects`, each host has static files of its own, as `release` of the Procfile makes them.
    """

    def __init__(self, folder: Path, service: str, database: str, *, collects: bool) -> None:
        self._folder, self.url, self.certificate = folder, "", folder / "pem"
        self._release = read_command("release")
        self.is_one_host = database.startswith("sqlite")
        environ = os.environ | build_environ(make_environ(service, database, "20s"))
        environ |= {"HTTPS": "on", "ALLOWED_HOSTS": HOST, "TRUSTED_PROXIES": "1"}
        environ |= {"TWO_STEP_ROLES": "manager,support,officer", "SECOND_MANAGER": "on"}
        self.redis: Process | None = None
        if REDIS:
            port = find_free_port()
            environ["CACHE_URL"] = f"redis://127.0.0.1:{port}/0"
            command = [REDIS, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
            self.redis = Process("redis", [*command, "--save", ""], environ, folder)
            self.redis.start()
            wait_for(port)
        self.hosts = [Host(f"host{number}", environ, folder) for number in (1, 2)]
        if collects:
            for host in self.hosts:
                host.environ["PROOF_STATIC"] = str(folder / f"static-{host.name}")
        else:
            self._release = self._release.partition(" && ")[0]
        self.workers = [
            Process(f"worker{number}", _read_command("worker"), environ, folder)
            for number in (1, 2)
        ]
        self.processes = [one for one in (*self.hosts, *self.workers, self.redis) if one]

    def start(self, people: int) -> None:
        """Make the tables and so many people, and start all of it."""
        self.release()
        self.run("-m", "tests.proof.prepare", str(people))
        for process in (*self.hosts, *self.workers):
            process.start()
        for host in self.hosts:
            host.wait_until_ready()

    def stop(self, *processes: Process) -> None:
        """Ask these to stop, or all, and wait until they have."""
        chosen = processes or self.processes
        for process in chosen:
            process.ask_to_stop()
        for process in chosen:
            process.stop()

    def release(self) -> None:
        """What the Procfile names `release`, on both hosts at once; on one host, one by one."""
        with (self._folder / "release.log").open("ab") as log:
            begun = []
            for host in self.hosts:
                command = ["sh", "-ec", self._release]
                begun.append(
                    subprocess.Popen(command, cwd=ROOT, env=host.environ, stdout=log, stderr=log)
                )
                if self.is_one_host:
                    begun[-1].wait()
            failed = [one.returncode for one in begun if one.wait()]
        assert not failed, f"release failed; see {self._folder}/release.log"

    def run(self, *arguments: str) -> str:
        """Run some Python as on the first host; what it prints."""
        with (self._folder / "runs.log").open("a") as log:
            return subprocess.run(
                [sys.executable, *arguments], cwd=ROOT, env=self.hosts[0].environ, check=True,
                text=True, stdout=subprocess.PIPE, stderr=log,
            ).stdout  # fmt: skip


@contextmanager
def run_fleet(
    folder: Path, service: str, database: str, people: int, *, collects: bool
) -> Iterator[Fleet]:
    """A fleet with so many people behind nginx, until the end of the block."""
    fleet = Fleet(folder, service, database, collects=collects)
    try:
        fleet.start(people)
        with run_nginx(folder, *(host.port for host in fleet.hosts)) as port:
            fleet.url = f"https://127.0.0.1:{port}"
            yield fleet
    finally:
        fleet.stop()
