"""gunicorn for the sandbox, with threads, an open socket, and errors in the form of the API."""

import logging
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from django.core.wsgi import get_wsgi_application
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from lendingadmin.sandbox import wire

log = logging.getLogger(__name__)

LONGEST_LINE = 8190  # bytes of a request line, and of a header; this is gunicorn's limit
_REFUSALS: dict[type[Exception], tuple[int, str]] = {
    errors.LimitRequestLine: (414, f"The request line must have at most {LONGEST_LINE} bytes"),
    errors.LimitRequestHeaders: (431, f"A header must have at most {LONGEST_LINE} bytes"),
    errors.ExpectationFailed: (417, "The Expect header can't be met"),
    errors.UnsupportedTransferCoding: (501, "The transfer coding is not known here"),
    errors.ParseException: (400, "The request is not HTTP that can be understood"),
}


def find_refusal(fault: BaseException) -> tuple[int, str]:
    """Return the status and sentence for a request that does not reach the API."""
    for kind, found in _REFUSALS.items():
        if isinstance(fault, kind):
            return found
    return 500, "The service failed"


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Worker that adds an `error_description` when gunicorn refuses a request (Spec: Errors)."""

    def handle_error(
        self, req: object, client: socket.socket, addr: object, exc: BaseException
    ) -> None:
        """Write the complete answer; the caller closes the connection."""
        status, description = find_refusal(exc)
        if status == 500:
            log.error("not foreseen", exc_info=exc)
        phrase = HTTPStatus(status).phrase
        word = phrase.lower().replace(" ", "_").replace("-", "_")
        body = wire.write({"error": word, "error_description": description})
        head = (
            f"HTTP/1.1 {status} {phrase}\r\nConnection: close\r\nContent-Type: application/json\r\n"
            f"X-Request-Id: {uuid4().hex}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            client.sendall(head.encode() + body)
        except OSError:
            log.debug("the client has gone")


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with threads. `listener` is the descriptor of a socket that already listens."""

    def __init__(self, listener: int, workers: int, when_ready: Callable[[], None]) -> None:
        self.listener, self.workers, self.when_ready = listener, workers, when_ready
        super().__init__()

    def load_config(self) -> None:
        """Set the options. The environment of a dashboard on this machine must not change them."""
        values = {
            "bind": f"fd://{self.listener}",
            "workers": self.workers,
            "threads": 8,
            "worker_class": Worker,
            "timeout": 60,
            "graceful_timeout": 1,
            "keepalive": 15,
            "loglevel": "warning",
            "limit_request_line": LONGEST_LINE,
            "limit_request_field_size": LONGEST_LINE,
            "control_socket_disable": True,
            "when_ready": lambda server: self.when_ready(),
        }
        for name, value in values.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Return the WSGI application."""
        return get_wsgi_application()
