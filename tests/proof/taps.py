"""What the dashboard is cut off from: a tap before a server, and a Redis of the proof's own."""

import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.web_process import find_free_port, wait_for

REDIS_SERVER = shutil.which("redis-server")


class Tap:
    """Forwards connections to a server, until it is cut or hangs; the server notices an end."""

    def __init__(self, host: str, port: int) -> None:
        self._upstream = host, port
        self.port = find_free_port()
        self._flows = threading.Event()
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.restore()

    def cut(self) -> None:
        """Break what is open; who comes is refused."""
        self._flows.clear()
        if self._listener:
            # Closing alone would not wake the thread that accepts.
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        with self._lock:
            for one in self._sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        self._flows.set()  # what waits to go on finds its sockets closed

    def hang(self) -> None:
        """Let everybody in, and pass nothing on."""
        self._flows.clear()

    def restore(self) -> None:
        """Pass on what comes, and what has waited."""
        if self._listener is None:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
            threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        self._flows.set()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        self._flows.wait()
        try:
            far = socket.create_connection(self._upstream, timeout=10)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        with self._lock:
            self._sockets |= {near, far}
        pumps = [threading.Thread(target=self._pump, args=ends, daemon=True)
                 for ends in ((near, far), (far, near))]  # fmt: skip
        for pump in pumps:
            pump.start()
        for pump in pumps:
            pump.join()
        with self._lock:
            self._sockets -= {near, far}
        near.close()
        far.close()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flows.wait()
                sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Redis:
    """A redis-server that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, find_free_port()
        self.start()

    def start(self) -> None:
        """Start it, empty."""
        kept_nowhere = ("--save", "", "--appendonly", "no", "--dir", str(self._folder))
        place = ("--bind", "127.0.0.1", "--port", str(self.port))
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(REDIS_SERVER), *place, *kept_nowhere], stdout=log, stderr=log
            )
        wait_for(self.port)

    def stop(self) -> None:
        """End it: who comes is refused."""
        self.go_on()
        self._process.terminate()
        self._process.wait(timeout=20)

    def hang(self) -> None:
        """Let it say nothing more; the system still takes connections for it."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def run_redis(folder: Path) -> Iterator[Redis]:
    """One that is ended behind the block."""
    redis = Redis(folder)
    try:
        yield redis
    finally:
        redis.stop()
