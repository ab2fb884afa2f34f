"""A process of a proof: killed, and started again."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import requests

from tests.web_process import ROOT, find_free_port, read_command

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
        super().__init__(name, start_from_procfile("web"), self.environ, folder)

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


def start_from_procfile(process: str) -> list[str]:
    """The command by which a shell starts what the Procfile names so."""
    return ["sh", "-c", f"exec {read_command(process)}"]


def stop_all(processes: Sequence[Process]) -> None:
    """Ask these to stop, and wait until they have."""
    for process in processes:
        process.ask_to_stop()
    for process in processes:
        process.stop()
