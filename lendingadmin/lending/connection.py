"""Connections that keep to a deadline, count what they read, and know whether anything was sent.

The time limits of HTTP libraries bound each read of the socket: a service that drips one byte at a
time, in its headers or its body, holds a thread for ever. Here every read and write asks the
`Exchange` under way how long it may take.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http.client import HTTPResponse
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import Held

_PIECE = 64 * 1024


class TooLarge(Exception):
    """More bytes came than an answer may have."""


class Exchange:
    """One request and its answer.

    `begun` turns true immediately before the first byte of the request is written: while it is
    false, nothing was sent. `patience` (seconds) bounds each wait for the socket, `deadline` all of
    them together, `max_bytes` what may be read, packed or unpacked.
    """

    def __init__(
        self,
        deadline: Deadline,
        *,
        patience: float,
        max_bytes: int,
        before_send: Callable[[], None] | None = None,
    ) -> None:
        self.deadline = deadline
        self.max_bytes = max_bytes
        self.begun = False
        self._patience = patience
        self._before_send = before_send
        self._received = 0

    def begin(self) -> None:
        """The connection is open: ask the hook once more, then let the first byte go.

        Raises Held when the deadline has passed, and what the hook raises. Nothing is sent then.
        """
        if self._before_send is not None:
            self._before_send()
        if self.deadline.passed:
            raise Held("This took too long to prepare, so nothing was sent. Try again.")
        self.begun = True

    def may_wait(self) -> float:
        """Seconds that the next wait for the socket may take; TimeoutError when none are left."""
        left = self.deadline.left
        if not left:
            raise TimeoutError("the deadline of the call has passed")
        return min(left, self._patience)

    def received(self, count: int) -> None:
        """Count bytes from the socket. Raises TooLarge past the limit."""
        self._received += count
        # Headers and chunk marks count too; they get a little room of their own.
        if self._received > self.max_bytes + _PIECE:
            raise TooLarge


_under_way: ContextVar[Exchange] = ContextVar("lending_exchange")


@contextmanager
def under_way(exchange: Exchange) -> Iterator[None]:
    """Whatever connection is used inside belongs to this exchange."""
    token = _under_way.set(exchange)
    try:
        yield
    finally:
        _under_way.reset(token)


class _BoundedReader(io.RawIOBase):
    """The socket's reading end, asking the exchange before every read."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, exchange: Exchange) -> None:
        self._raw = raw
        self._sock = sock
        self._exchange = exchange

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._exchange.may_wait())
        count = self._raw.readinto(buffer)
        self._exchange.received(count or 0)
        return int(count or 0)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        raw = self.fp.detach()
        self.fp = io.BufferedReader(_BoundedReader(raw, sock, _under_way.get()))


class _Bounded(HTTPConnection):
    response_class = _BoundedResponse

    def endheaders(self, *args: Any, **kwargs: Any) -> None:
        # http.client would open the connection inside the first write; the hook must come between.
        if self.sock is None:
            self.connect()
        _under_way.get().begin()
        super().endheaders(*args, **kwargs)

    def send(self, data: Any) -> None:
        exchange = _under_way.get()
        view = memoryview(data)
        for start in range(0, len(view), _PIECE):
            self.sock.settimeout(exchange.may_wait())
            super().send(view[start : start + _PIECE])


class _BoundedTLS(_Bounded, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Bounded


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _BoundedTLS


def _use_bounded(manager: PoolManager) -> None:
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}


class _Adapter(HTTPAdapter):
    """An adapter that never tries again by itself and opens only bounded connections."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        _use_bounded(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        # A proxy's connections must know of `begun` too, or a sent repayment would look unsent.
        manager = super().proxy_manager_for(proxy, **kwargs)
        _use_bounded(manager)
        return manager


class Session(requests.Session):
    """A session of bounded connections: no retries, no redirects, no cookies.

    With `trust_env` false it ignores the environment's proxies, certificates and .netrc.
    """

    def __init__(self, *, trust_env: bool = False) -> None:
        super().__init__()
        self.trust_env = trust_env
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def get_redirect_target(self, response: Any) -> None:
        """None, for every answer: requests would read a redirect's body before it gives it back."""
