"""Child processes that always end together with the command that started them."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from types import FrameType
from typing import Self

_Handler = Callable[[int, FrameType | None], object] | int | None
_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Died(Exception):
    """Error: a child process ended or did not become ready.

    The text names the process and the problem.
    """


class Processes:
    """Context that starts children, each in its own process group, and stops them at its end.

    Inside the block, Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread.
    """

    def __init__(self, start_timeout: float = 10.0) -> None:
        self._start_timeout = start_timeout
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._before: dict[signal.Signals, _Handler] = {}
        self._held = False
        self._asked = False

    def __enter__(self) -> Self:
        for number in _ASKED:
            # A demo that was started with nohup continues after its terminal is closed.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._stop_asked)
        return self

    def __exit__(self, *_: object) -> None:
        # From here on, a second Ctrl-C must not leave a child running.
        self._held = True
        for number in self._before:
            signal.signal(number, signal.SIG_IGN)
        self._stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._held = False

    def start(self, name: str, command: Sequence[str], environ: Mapping[str, str]) -> None:
        """Start a child. Messages to people contain its name."""
        self._held = True  # so that a child that has just started is always stopped
        self._children[name] = subprocess.Popen(
            command, env=environ, start_new_session=True, stdin=subprocess.DEVNULL
        )
        self._held = False
        if self._asked:
            raise KeyboardInterrupt

    def finish(self, name: str) -> None:
        """Wait for the end of a child. Raise Died if this child, or another one, fails."""
        child = self._children[name]
        while child.poll() is None:
            self._require_alive(but=name)
            time.sleep(0.05)
        del self._children[name]
        if child.returncode:
            raise Died(_how(name, child.returncode))

    def wait_until_ready(self, name: str, port: int, path: str = "/", seconds: float = 60) -> None:
        """Wait until a child answers HTTP on loopback. Raise Died if it does not."""
        deadline = time.monotonic() + seconds
        while not _answers(port, path):
            self._require_alive()
            if time.monotonic() > deadline:
                raise Died(f"The {name} did not answer within {seconds:.0f} seconds.")
            time.sleep(0.1)
        # The answer may be from another process that opened the port before our child.
        self._require_alive()

    def watch(self) -> None:
        """Watch the children.

        Raise Died if one of them ends, and KeyboardInterrupt if a person stops them.
        """
        while True:
            self._require_alive()
            time.sleep(0.3)

    def _require_alive(self, but: str = "") -> None:
        for name, child in self._children.items():
            if name != but and child.poll() is not None:
                raise Died(_how(name, child.returncode))

    def _stop_asked(self, number: int, frame: FrameType | None) -> None:
        # A second signal must not prevent `__exit__`, which stops the children.
        is_first, self._asked = not self._asked, True
        if is_first and not self._held:
            raise KeyboardInterrupt

    def _stop(self) -> None:
        for child in self._children.values():
            _signal(child, signal.SIGTERM)
        deadline = time.monotonic() + self._start_timeout
        for child in self._children.values():
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(0.0, deadline - time.monotonic()))
            # Processes that the child started may still run in its group, even if the child has
            # ended.
            _signal(child, signal.SIGKILL)
            child.wait()
        self._children.clear()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        # macOS raises PermissionError for a group whose members have all ended.
        return


def _how(name: str, code: int) -> str:
    if code < 0:
        return f"The {name} was ended by {signal.Signals(-code).name}."
    return f"The {name} ended unexpectedly (exit code {code})."


def _answers(port: int, path: str) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True
