"""`manage.py demo` as a person runs it: it starts, tells, and leaves no process behind."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.web_process import find_free_ports

ROOT = Path(__file__).resolve().parents[2]
FILLED = re.compile(r"\d+ borrowers")
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="needs /proc to look for what was left behind"
)


class Demo:
    """One run of the command, its output read line by line."""

    def __init__(self, folder: Path, port: int, *arguments: str) -> None:
        self.folder = folder
        environ = {name: value for name, value in os.environ.items() if "LENDING" not in name}
        environ |= {
            "PORT": str(port),
            "DATABASE_URL": f"sqlite:///{folder}/demo.sqlite3",
            "PYTHONUNBUFFERED": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "demo", *arguments],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.told: list[str] = []

    def read_until(self, words: str) -> str:
        """Read its output up to the line that holds these words, or to the end."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(line)
            if words in line:
                break
        return "".join(self.told)

    def end(self, *, seconds: float = 20) -> int:
        """Read what is left and wait for its end."""
        self.read_until("\0")
        return self.process.wait(seconds)

    def pids(self) -> list[int]:
        """Every process that runs with this demo's environment."""
        mark = f"DATABASE_URL=sqlite:///{self.folder}".encode()
        return [
            int(path.name)
            for path in Path("/proc").iterdir()
            if path.name.isdigit() and mark in _environ(path)
        ]

    def spend(self) -> float:
        """Seconds of processor time that all its processes have used."""
        stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] for pid in self.pids()]
        ticks = sum(int(number) for stat in stats for number in stat.split()[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def child(self, words: str) -> int:
        """The first process whose command line holds these words."""
        return min(
            pid
            for pid in self.pids()
            if words in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        )


def _environ(path: Path) -> bytes:
    try:
        return (path / "environ").read_bytes()
    except OSError:
        return b""


@contextmanager
def running(folder: Path, port: int) -> Iterator[Demo]:
    run = Demo(folder, port)
    try:
        yield run
    finally:
        run.process.send_signal(signal.SIGTERM)
        run.process.wait(20)
        assert run.process.stdout is not None
        run.process.stdout.close()


class First(NamedTuple):
    """The first run with new data: its folder, and the processor time until it was ready."""

    folder: Path
    seconds: float


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> First:
    """Filled by one run, so that whichever test comes first finds the sandbox's data there."""
    folder = tmp_path_factory.mktemp("demo")
    with running(folder, find_free_ports()) as run:
        assert FILLED.search(run.read_until("Ctrl-C"))
        return First(folder, run.spend())


@pytest.fixture
def folder(first: First) -> Path:
    return first.folder


def test_the_first_run_is_ready_within_a_minute_on_two_cores(first: First) -> None:
    # Processor time, because a busy machine makes every start slow. A part of it runs alone.
    assert first.seconds < 75


@pytest.fixture
def port() -> int:
    return find_free_ports()


@pytest.fixture
def demo(folder: Path, port: int) -> Iterator[Demo]:
    with running(folder, port) as run:
        yield run


def test_it_tells_how_to_sign_in_and_ctrl_c_leaves_nothing_behind(demo: Demo, port: int) -> None:
    told = demo.read_until("Ctrl-C")
    assert f"http://localhost:{port}" in told
    for role in ("viewer", "officer", "support", "manager"):
        assert re.search(rf"{role} +demo", told)
    page = urllib.request.urlopen(f"http://localhost:{port}/accounts/login/", timeout=10)
    assert page.status == 200
    assert len(demo.pids()) >= 6
    assert demo.child("manage.py db_worker")
    demo.process.send_signal(signal.SIGINT)
    assert demo.end() == 0
    assert demo.told[-1] == "Stopped.\n"
    assert demo.pids() == []


def test_again_it_keeps_what_is_there(demo: Demo) -> None:
    assert not FILLED.search(demo.read_until("Ctrl-C"))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("manage.py sandbox", "sandbox"),
        ("gunicorn", "dashboard"),
        ("manage.py db_worker", "worker"),
    ],
)
def test_when_a_part_dies_it_is_named_and_the_rest_stops(words: str, name: str, demo: Demo) -> None:
    demo.read_until("Ctrl-C")
    os.kill(demo.child(words), signal.SIGKILL)
    assert demo.end() == 1
    assert f"The {name} was ended by SIGKILL." in demo.told[-1]
    assert demo.pids() == []


def test_sigterm_while_it_starts_leaves_nothing_behind(demo: Demo) -> None:
    demo.read_until("Preparing")
    demo.process.send_signal(signal.SIGTERM)
    assert demo.end() == 0
    assert demo.pids() == []


@pytest.mark.parametrize("place", [0, 1])
def test_a_port_in_use_is_one_clear_line(place: int, folder: Path, port: int) -> None:
    with socket.create_server(("127.0.0.1", port + place)):
        run = Demo(folder, port)
        assert run.end() == 1
    assert len(run.told) == 1
    assert f"Port {port + place} is in use" in run.told[0]
    assert "PORT=" in run.told[0]


def test_a_port_that_is_none_is_one_clear_line(folder: Path) -> None:
    run = Demo(folder, 0)
    assert run.end() == 1
    assert run.told == ["CommandError: PORT=0 is not a port. Give a number from 1 to 65534.\n"]


def test_a_database_of_another_version_is_one_clear_line(tmp_path: Path, port: int) -> None:
    with sqlite3.connect(tmp_path / "demo.sqlite3") as database:
        database.execute("CREATE TABLE staff_user (id integer)")
    run = Demo(tmp_path, port)
    assert run.end() == 1
    assert "`make run FRESH=1` starts with new data." in run.told[-1]
    assert "Traceback" not in "".join(run.told)
    assert run.pids() == []
