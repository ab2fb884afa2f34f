"""The dashboard as a lender runs it on two hosts: nginx of deploy/ with TLS, two web processes and
two workers of the Procfile, Redis, one database; each can be killed and started again.

On SQLite the two web processes are those of one host, before the same file.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.proof.dashboard import make_environ
from tests.proof.running import Host, Process, start_from_procfile, stop_all
from tests.proxies import HOST, run_nginx
from tests.web_process import ROOT, build_environ, find_free_port, read_command, wait_for

REDIS = shutil.which("redis-server")


class Fleet:
    """All of them, started; `url` is where people open the dashboard.

    With `collects`, each host has static files of its own, as `release` of the Procfile makes them.
    """

    def __init__(self, folder: Path, service: str, database: str, *, collects: bool) -> None:
        self._folder, self.url, self.certificate = folder, "", folder / "pem"
        self._release = read_command("release")
        self.is_one_host = database.startswith("sqlite")
        environ = os.environ | build_environ(make_environ(service, database, 20))
        environ |= {"DASHBOARD_URL": f"https://{HOST}"}
        environ |= {"TWO_STEP_ROLES": "manager,support,officer"}
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
            Process(f"worker{number}", start_from_procfile("worker"), environ, folder)
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
        stop_all(processes or self.processes)

    def release(self) -> None:
        """What the Procfile names `release`, on both hosts at once; on one host, one by one."""
        path = self._folder / "release.log"
        with path.open("ab") as log:
            begun = []
            for host in self.hosts:
                command = ["sh", "-ec", self._release]
                begun.append(
                    subprocess.Popen(command, cwd=ROOT, env=host.environ, stdout=log, stderr=log)
                )
                if self.is_one_host:
                    begun[-1].wait()
            failed = [one.returncode for one in begun if one.wait()]
        assert not failed, f"release failed:\n{path.read_text()[-3000:]}"

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
