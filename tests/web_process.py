"""The web process as a shell starts it from the Procfile, with `tests.web_answering` inside."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.processes import ROOT


def find_free_port() -> int:
    """A port that nothing listens on at this moment."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int, address: str = "127.0.0.1") -> None:
    """Wait until something listens there, at most 20 seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with closing(socket.socket()) as probe:
            if not probe.connect_ex((address, port)):
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


@contextmanager
def run_web_process(log: Path = Path(os.devnull)) -> Iterator[int]:
    """The port of one that runs, with the Procfile's number of threads; `log` gets what it says."""
    port, lines = find_free_port(), (ROOT / "Procfile").read_text().splitlines()
    command = next(line for line in lines if line.startswith("web: ")).removeprefix("web: ")
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
    }
    with log.open("wb") as said:
        process = subprocess.Popen(
            ["sh", "-c", command.replace("lendingadmin.wsgi", "tests.web_answering:app")],
            cwd=ROOT,
            env=environ,
            stderr=said,
            start_new_session=True,
        )
    try:
        wait_for(port)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
