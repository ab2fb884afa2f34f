"""A server of real sockets whose every answer a test decides, and which remembers what arrived."""

import http.client
import json
import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any
from urllib.parse import urlsplit

_HOP_BY_HOP = {
    "connection",
    "keep-alive",
    "transfer-encoding",
    "proxy-connection",
    "content-length",
}


@dataclass(frozen=True)
class Arrived:
    """One request as it arrived: path and query not decoded, header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    at: float = field(default_factory=time.monotonic)

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """What a behaviour has in hand: the request, and the socket that it came on."""

    def __init__(self, server: "FaultServer", sock: socket.socket, request: Arrived) -> None:
        self.request = request
        self._server = server
        self._sock = sock

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def pause(self, seconds: float) -> bool:
        """Wait; False when the server is being stopped meanwhile."""
        return not self._server.stopping.wait(seconds)

    def reset(self) -> None:
        """Break the connection so that the other side sees a reset, not an end."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()

    def forward(self) -> "Forwarded":
        """Let the real server behind this one handle the request, and give back what it said."""
        return self._server.forward(self.request)


@dataclass(frozen=True)
class Forwarded:
    """The real server's answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


Behaviour = Callable[[Wire], bool]
"""Answers one request, well or badly; True keeps the connection for the next one."""


class FaultServer:
    """Listens on an ephemeral port of 127.0.0.1 and does what it was told.

    `on("GET /v1/x", one, two)` answers requests whose `METHOD path` contains that text: first by
    `one`, from then on by `two`. `once(…)` does the same and then steps aside. The latest rule
    wins. What no rule matches goes to `default`. `upstream` is the address of a real server behind
    it, for `Wire.forward`. With `tls` it speaks TLS.
    """

    def __init__(
        self, default: Behaviour, upstream: str = "", tls: ssl.SSLContext | None = None
    ) -> None:
        self.default = default
        self.upstream = upstream
        self._tls = tls
        self.stopping = threading.Event()
        self.arrived: list[Arrived] = []
        self.forwarded: list[Arrived] = []
        self._rules: deque[_Rule] = deque()
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._connections = 0
        self._greeting: bytes | None = None
        self.greeted = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def on(self, match: str, *behaviours: Behaviour) -> None:
        with self._lock:
            self._rules.appendleft(_Rule(match, deque(behaviours), stays=True))

    def once(self, match: str, *behaviours: Behaviour) -> None:
        with self._lock:
            self._rules.appendleft(_Rule(match, deque(behaviours), stays=False))

    def greet(self, greeting: bytes) -> None:
        """Speak first on every new connection, or with no bytes hang up; `greeted` tells when."""
        self._greeting = greeting

    def hits(self, match: str = "") -> int:
        """How many requests arrived whose `METHOD path` contains this text."""
        with self._lock:
            return sum(match in request.line for request in self.arrived)

    def connections(self) -> int:
        """How many connections were opened."""
        with self._lock:
            return self._connections

    def last(self, match: str = "") -> Arrived:
        """The latest request whose `METHOD path` contains this text."""
        with self._lock:
            return [request for request in self.arrived if match in request.line][-1]

    def stop(self) -> None:
        """Close everything; whatever hangs is let go."""
        self.stopping.set()
        # Closing alone would not wake the thread that accepts.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for sock in self._sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def forward(self, request: Arrived) -> Forwarded:
        parts = urlsplit(self.upstream)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        headers = {k: v for k, v in request.headers.items() if k not in _HOP_BY_HOP}
        try:
            connection.request(request.method, request.path, request.body or None, headers)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        with self._lock:
            self.forwarded.append(request)
        kept = [(k, v) for k, v in answer.getheaders() if k.lower() not in _HOP_BY_HOP]
        return Forwarded(answer.status, kept, body)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._connections += 1
                number = self._connections
                self._sockets.add(sock)
            threading.Thread(target=self._serve, args=(sock, number), daemon=True).start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        if self._tls:
            try:
                sock = self._tls.wrap_socket(sock, server_side=True)
            except OSError:
                return  # whose certificate this is was not believed
        reader = sock.makefile("rb")
        try:
            if self._greeting is not None:
                sock.sendall(self._greeting)
                if not self._greeting:
                    sock.shutdown(socket.SHUT_WR)
                self.greeted.set()
            while (request := _read(reader, number)) is not None:
                with self._lock:
                    self.arrived.append(request)
                if not self._behaviour(request)(Wire(self, sock, request)):
                    return
        except OSError:
            return  # the other side went away, which is what many of these tests are about
        finally:
            with self._lock:
                self._sockets.discard(sock)
            reader.close()
            sock.close()

    def _behaviour(self, request: Arrived) -> Behaviour:
        with self._lock:
            for rule in self._rules:
                if rule.match in request.line and (behaviour := rule.next()) is not None:
                    return behaviour
        return self.default


@dataclass
class _Rule:
    match: str
    behaviours: deque[Behaviour]
    stays: bool

    def next(self) -> Behaviour | None:
        if not self.behaviours:
            return None
        if self.stays and len(self.behaviours) == 1:
            return self.behaviours[0]
        return self.behaviours.popleft()


def _read(reader: BufferedReader, connection: int) -> Arrived | None:
    line = reader.readline().decode("latin-1").split()
    if len(line) != 3:
        return None
    headers: dict[str, str] = {}
    while (header := reader.readline().decode("latin-1").strip()) != "":
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Arrived(line[0], line[1], headers, body, connection)
