"""The web process as a shell starts it from the Procfile; `tests.web_answering` is inside."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from tests.processes import ROOT

# It has no settings; without a variable that says so, those of the dashboard are looked at.
_ANSWERING = MappingProxyType({"DJANGO_SETTINGS_MODULE": "tests.web_answering"})


def find_free_port() -> int:
    """A port that nothing listens on at this moment."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def find_free_ports() -> int:
    """A port that nothing listens on at this moment, and neither on the next one."""
    while True:
        port = find_free_port()
        with closing(socket.socket()) as follower, suppress(OSError):
            follower.bind(("127.0.0.1", port + 1))
            return port


def wait_for(port: int, address: str = "127.0.0.1") -> None:
    """Wait until something listens there, at most 20 seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with closing(socket.socket()) as probe:
            if not probe.connect_ex((address, port)):
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    """Ask again and again until it is so. Raises TimeoutError."""
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError(f"it is not so within {seconds} s")
        time.sleep(0.05)


def read_command(process: str) -> str:
    """What the Procfile starts as this process."""
    lines = (ROOT / "Procfile").read_text().splitlines()
    start = f"{process}: "
    return next(line for line in lines if line.startswith(start)).removeprefix(start)


def build_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which the commands of the Procfile are found."""
    return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environ}


@contextmanager
def run_web_process(
    log: Path = Path(os.devnull),
    application: str = "tests.web_answering:app",
    environ: Mapping[str, str] = _ANSWERING,
) -> Iterator[int]:
    """The port of one that runs, with the Procfile's number of threads; `log` gets what it says."""
    with start_web_process(log, application, environ) as (port, _):
        yield port


@contextmanager
def start_web_process(
    log: Path = Path(os.devnull),
    application: str = "tests.web_answering:app",
    environ: Mapping[str, str] = _ANSWERING,
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """The port of one that runs, and its process, which may end before the block does."""
    port = find_free_port()
    command = read_command("web").replace("lendingadmin.wsgi", application)
    with log.open("wb") as said:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            cwd=ROOT,
            env=build_environ({"PORT": str(port), "WEB_CONCURRENCY": "1", **environ}),
            stderr=said,
            start_new_session=True,
        )
    try:
        wait_for(port)
        yield port, process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
