"""The web process of the Procfile as a shell starts it, with another application inside."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.processes import ROOT


def ask(address: str) -> str:
    """What answers to somebody who says that they came by HTTPS; empty where nothing listens."""
    request = urllib.request.Request(address, headers={"X-Forwarded-Proto": "https"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return str(answer.read().decode())
    except urllib.error.URLError:
        return ""


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a running web process."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    lines = (ROOT / "Procfile").read_text().splitlines()
    command = next(line for line in lines if line.startswith("web: ")).removeprefix("web: ")
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(number),
        "WEB_CONCURRENCY": "1",
    }
    process = subprocess.Popen(
        ["sh", "-c", command.replace("lendingadmin.wsgi", "tests.answers_scheme:app")],
        cwd=ROOT,
        env=environ,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 20
    while not ask(f"http://127.0.0.1:{number}/") and time.monotonic() < until:
        time.sleep(0.1)
    yield number
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=20)


def test_it_listens_to_this_machine_alone_and_believes_no_header(port: int) -> None:
    assert ask(f"http://127.0.0.1:{port}/") == "http"
    # Linux answers to the whole of 127.0.0.0/8 where somebody listens on every address.
    assert ask(f"http://127.0.0.2:{port}/") == ""
