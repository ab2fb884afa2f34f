"""The worker of the web process: gunicorn's threads, a thread for health checks, and refusals."""

import os
import re
import socket
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from multiprocessing import get_context

import django
from django.core.exceptions import ImproperlyConfigured
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.config import Config  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

# Only a complete request matches, so that a slow sender can't occupy the thread.
_PROBE = re.compile(rb"(?:GET|HEAD) /(healthz|readyz)[ ?].*\r\n\r\n", re.DOTALL)
# Seconds. A proxy sends a request as soon as it is connected.
_LONGEST_LOOK = 0.1
_LONGEST_REQUEST = 8192  # bytes
# With MSG_DONTWAIT the read does not wait for a pipelined request, which is already in gunicorn's
# buffer.
_PEEK = socket.MSG_PEEK | socket.MSG_DONTWAIT

_REFUSALS: dict[type[Exception], HTTPStatus] = {
    errors.InvalidResponseHeader: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.InvalidResponseHeaderName: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    errors.UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
    errors.ParseException: HTTPStatus.BAD_REQUEST,
}
_REFUSAL = """\
HTTP/1.1 {status.value} {status.phrase}
Connection: close
Content-Type: text/plain
Content-Length: {length}
Cache-Control: no-store
Content-Security-Policy: default-src 'none'; frame-ancestors 'none'
X-Content-Type-Options: nosniff
Referrer-Policy: same-origin
Cross-Origin-Resource-Policy: same-origin

{status.phrase}
""".replace("\n", "\r\n")


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn ships no types
    """Worker that answers `/healthz` and `/readyz` even while all of its threads are busy.

    All other requests wait. If no thread is free, an extra thread looks at each new connection, and
    answers a health request directly. So no request is refused when many come at the same time.
    `/readyz` has another extra thread, because its answer waits for the database.
    """

    @classmethod
    def check_config(cls, cfg: Config, log: Logger) -> None:
        """Report errors in the variables and exit before a worker starts.

        Without this check, gunicorn ends with a trace after two workers could not start. The check
        runs in another process, so that workers after a SIGHUP read the variables again.
        """
        super().check_config(cfg, log)
        looking = get_context("fork").Process(target=_set_up, args=(log,))
        looking.start()
        looking.join()
        if looking.exitcode:
            sys.exit(Arbiter.APP_LOAD_ERROR)

    def init_process(self) -> None:
        """Create the objects for this process, then serve."""
        self._under_way = 0
        self._lookout = ThreadPoolExecutor(max_workers=1)
        self._readiness = ThreadPoolExecutor(max_workers=1)
        super().init_process()

    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop accepting connections.

        When this worker stops, accept the waiting connections and close the listener. An open
        listener would still queue new connections, and they would be lost when the last worker
        ends. A closed listener refuses them, so that a proxy tries another host.
        """
        super().set_accept_enabled(enabled)
        if enabled or self.alive:
            return
        for listener in self.sockets:
            taken = -1
            while taken != self.nr_conns:
                taken = self.nr_conns
                self.accept(listener)
            listener.close()

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection to a thread. Only the main thread calls this and `finish_request`."""
        self._under_way += 1
        if self._under_way <= self.cfg.threads:
            super().enqueue_req(conn)
        else:
            self._lookout.submit(self._look, conn)

    def finish_request(self, conn: TConn, done: "Future[object]") -> None:
        """Take a connection back from its thread."""
        self._under_way -= 1
        super().finish_request(conn, done)

    def handle_error(
        self, req: object, client: socket.socket, addr: object, exc: BaseException
    ) -> None:
        """Answer a request that did not reach Django, or that Django could not answer.

        The answer has only the status. The log has the status and the error's class, and a
        trace only for a 500.
        """
        failed = HTTPStatus.INTERNAL_SERVER_ERROR
        found = (status for kind, status in _REFUSALS.items() if isinstance(exc, kind))
        status = next(found, failed)
        trace = exc if status == failed else None
        self.log.warning("%s: %s", status.phrase, type(exc).__name__, exc_info=trace)
        refusal = _REFUSAL.format(status=status, length=len(status.phrase) + 2)
        with suppress(OSError):  # the client may be gone
            client.sendall(refusal.encode())

    def _look(self, conn: TConn) -> None:
        pools = {b"healthz": self._lookout, b"readyz": self._readiness, b"": self.tpool}
        answered = pools[_find_probe(conn)].submit(self.handle, conn)
        answered.add_done_callback(partial(self.method_queue.defer, self.finish_request, conn))


def _set_up(log: Logger) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        for line in str(error).splitlines():
            log.critical("%s", line)
        sys.exit(1)


def _find_probe(conn: TConn) -> bytes:
    """Return the health check that a connection requests; empty if it requests something else."""
    try:
        if not conn.wait_for_data(_LONGEST_LOOK):
            return b""
        found = _PROBE.match(conn.sock.recv(_LONGEST_REQUEST, _PEEK))
    except OSError:  # the client is gone or sent nothing
        return b""
    return found[1] if found else b""
