"""Children: stopped whatever happens, with their own children, and a death is told by name."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from lendingadmin.demo.processes import Died, Processes

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]
# Starts a child of its own, writes down its id, and ignores SIGTERM.
STUBBORN = """
import pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(60)
"""
# Starts a child of its own, writes down its id, and ends.
CARELESS = """
import pathlib, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
sys.exit(3)
"""
SERVER = """
import sys
from http.server import HTTPServer, SimpleHTTPRequestHandler
HTTPServer(("127.0.0.1", int(sys.argv[1])), SimpleHTTPRequestHandler).serve_forever()
"""


def _runs(pid: int) -> bool:
    """Whether a process is alive; one that ended and waits to be collected is not."""
    if Path("/proc/self").exists():
        state = Path(f"/proc/{pid}/stat")
        with suppress(FileNotFoundError, ProcessLookupError):
            return state.read_text().rpartition(")")[2].split()[0] != "Z"
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def _soon(true: Callable[[], object], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _pid(processes: Processes, name: str) -> int:
    return processes._children[name].pid


def test_leaving_stops_every_child() -> None:
    with Processes() as processes:
        processes.start("one", SLEEPER, os.environ)
        processes.start("two", SLEEPER, os.environ)
        pids = [_pid(processes, name) for name in ("one", "two")]
        assert all(map(_runs, pids))
    assert not any(map(_runs, pids))


def test_an_error_stops_every_child() -> None:
    with pytest.raises(ZeroDivisionError), Processes() as processes:
        processes.start("one", SLEEPER, os.environ)
        pid = _pid(processes, "one")
        raise ZeroDivisionError
    assert not _runs(pid)


def test_a_child_that_will_not_stop_is_ended_with_its_own_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with Processes(start_timeout=0.3) as processes:
        processes.start("stubborn", [sys.executable, "-c", STUBBORN, str(note)], os.environ)
        assert _soon(lambda: note.is_file() and note.read_text())
        pids = [_pid(processes, "stubborn"), int(note.read_text())]
    assert _soon(lambda: not any(map(_runs, pids)))


def test_grandchildren_go_when_the_child_ended_without_them(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with (
        pytest.raises(Died, match=r"brief ended unexpectedly \(exit code 3\)"),
        Processes() as processes,
    ):
        processes.start("brief", [sys.executable, "-c", CARELESS, str(note)], os.environ)
        processes.watch()
    assert _soon(lambda: not _runs(int(note.read_text())))


def test_many_signals_at_once_stop_every_child(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    impatient = "import os\nfor _ in range(500):\n for one in (2, 15): os.kill(os.getppid(), one)"
    # It ignores SIGTERM for so long that all signals come before the handlers are put back.
    with pytest.raises(KeyboardInterrupt), Processes(start_timeout=1.5) as processes:
        processes.start("stubborn", [sys.executable, "-c", STUBBORN, str(note)], os.environ)
        assert _soon(lambda: note.is_file() and note.read_text())
        pid = _pid(processes, "stubborn")
        sender = subprocess.Popen([sys.executable, "-c", impatient])
        processes.watch()
    assert sender.wait(10) == 0
    assert not _runs(pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_way_of_asking_stops_the_watch_and_the_children(number: int) -> None:
    # Under nohup the tests themselves would be deaf to the terminal's end.
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Processes() as processes:
            processes.start("one", SLEEPER, os.environ)
            pid = _pid(processes, "one")
            os.kill(os.getpid(), number)
            processes.watch()
        assert not _runs(pid)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_a_terminal_that_closes_is_no_reason_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Processes():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_child_that_dies_is_told_by_name() -> None:
    died = pytest.raises(Died, match=r"The frail ended unexpectedly \(exit code 7\)")
    with died, Processes() as processes:
        processes.start("healthy", SLEEPER, os.environ)
        processes.start("frail", [sys.executable, "-c", "raise SystemExit(7)"], os.environ)
        processes.watch()


def test_a_child_that_is_killed_is_told_with_the_signal() -> None:
    with pytest.raises(Died, match="The one was ended by SIGKILL"), Processes() as processes:
        processes.start("one", SLEEPER, os.environ)
        os.kill(_pid(processes, "one"), signal.SIGKILL)
        processes.watch()


def test_a_child_that_is_meant_to_end_may() -> None:
    with Processes() as processes:
        processes.start("brief", [sys.executable, "-c", "pass"], os.environ)
        processes.finish("brief")


def test_a_brief_child_that_fails_is_told() -> None:
    with pytest.raises(Died, match="brief"), Processes() as processes:
        processes.start("brief", [sys.executable, "-c", "raise SystemExit(1)"], os.environ)
        processes.finish("brief")


def test_waiting_for_a_brief_child_notices_that_another_died() -> None:
    with pytest.raises(Died, match="frail"), Processes() as processes:
        processes.start("frail", [sys.executable, "-c", "raise SystemExit(1)"], os.environ)
        processes.start("brief", SLEEPER, os.environ)
        processes.finish("brief")


def test_ready_is_when_it_answers(free_port: int) -> None:
    with Processes() as processes:
        processes.start("server", [sys.executable, "-c", SERVER, str(free_port)], os.environ)
        processes.wait_until_ready("server", free_port)


def test_a_server_that_never_answers_is_told(free_port: int) -> None:
    with pytest.raises(Died, match="server did not answer within 0"), Processes() as processes:
        processes.start("server", SLEEPER, os.environ)
        processes.wait_until_ready("server", free_port, seconds=0.2)


def test_a_signal_while_a_child_starts_waits_until_it_is_known() -> None:
    with pytest.raises(KeyboardInterrupt), Processes() as processes:
        real = subprocess.Popen

        def slow(*args: object, **options: object) -> object:
            child = real(*args, **options)  # type: ignore[call-overload]
            os.kill(os.getpid(), signal.SIGTERM)
            pids.append(child.pid)
            return child

        pids: list[int] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(subprocess, "Popen", slow)
            processes.start("one", SLEEPER, os.environ)
    assert not _runs(pids[0])
