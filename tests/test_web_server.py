"""A busy web process answers health and lets others wait; what is no HTTP it refuses by itself."""

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.urls import reverse

from tests.lints.test_variables import read_example
from tests.processes import ROOT
from tests.web_answering import LARGE
from tests.web_process import (
    build_environ,
    find_free_port,
    read_command,
    run_web_process,
    start_web_process,
    wait_until,
)

# More than any process has threads.
MANY = 40


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with run_web_process() as port:
        yield port


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[int]:
    """The port of the product itself, on an empty database."""
    environ = read_example() | {
        "AUDIT_ANCHOR": "none",
        "CACHE_URL": "dbcache://cache",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'dashboard.sqlite3'}",
        "DASHBOARD_URL": "http://localhost",
    }
    with run_web_process(application="lendingadmin.wsgi", environ=environ) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def send(connection: socket.socket, first: str, *headers: str, end: str = "\r\n\r\n") -> None:
    lines = (f"{first} HTTP/1.1", "Host: localhost", *headers)
    connection.sendall(("\r\n".join(lines) + end).encode())


def read(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def ask_for_health(port: int, path: str = "/healthz") -> bytes:
    """What answers to a monitor that waits for two seconds."""
    with connect(port) as connection:
        connection.settimeout(2)
        send(connection, f"GET {path}", "Connection: close")
        return read(connection)


def take_all_threads(port: int, stack: ExitStack) -> list[socket.socket]:
    """Connections of people who read nothing of what they asked for."""
    connections = [stack.enter_context(connect(port)) for _ in range(MANY)]
    for connection in connections:
        send(connection, "GET /large", "Connection: close")
    return connections


def test_unread_downloads_leave_a_place_for_health(port: int) -> None:
    with ExitStack() as stack:
        take_all_threads(port, stack)
        assert ask_for_health(port).startswith(b"HTTP/1.1 200")
        assert ask_for_health(port, "/healthz?from=monitor").startswith(b"HTTP/1.1 200")
        assert ask_for_health(port, "/readyz").startswith(b"HTTP/1.1 200")
        with pytest.raises(TimeoutError):
            ask_for_health(port, "/accounts/login/")


def test_a_connection_that_is_kept_is_not_closed_before_a_proxy_lets_it_go(port: int) -> None:
    with connect(port) as connection:
        for pause in (0, 4):  # gunicorn's own wait is two seconds
            time.sleep(pause)
            send(connection, "GET /")
            answer = b""
            while not answer.endswith(b"0\r\n\r\n"):  # its last chunk may come by itself
                answer += connection.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200")
    # nginx keeps a connection to what stands behind it for a minute.
    (seconds,) = re.findall(r"--keep-alive (\d+)", read_command("web"))
    assert int(seconds) > 60


def test_slow_forms_leave_a_place_for_health(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(MANY):
            connection = stack.enter_context(connect(port))
            send(connection, "POST /", "Content-Length: 1000")
        assert ask_for_health(port).startswith(b"HTTP/1.1 200")


def test_the_dashboard_answers_health_while_its_threads_wait_for_forms(dashboard: int) -> None:
    cookie, port = f"Cookie: csrftoken={'a' * 32}", dashboard
    with ExitStack() as stack:
        with connect(port) as first:  # its application is loaded by now
            send(first, f"GET {reverse('healthz')}", "Connection: close")
            assert read(first).endswith(b"alive\n")
        for _ in range(MANY):
            connection = stack.enter_context(connect(port))
            send(connection, f"POST {reverse('account_login')}", cookie, "Content-Length: 1000")
        assert ask_for_health(port, reverse("healthz")).endswith(b"alive\n")
        with pytest.raises(TimeoutError):
            ask_for_health(port, reverse("account_login"))


@pytest.mark.parametrize("charset", ["utf-16", "idna", "hex"])
def test_the_dashboard_refuses_another_encoding(dashboard: int, charset: str) -> None:
    kind = f"Content-Type: application/x-www-form-urlencoded; charset={charset}"
    with connect(dashboard) as connection:
        address = f"POST {reverse('account_login')}?a=b"
        cookie = f"Cookie: csrftoken={'a' * 32}"
        send(connection, address, kind, cookie, "Content-Length: 0", "Connection: close")
        assert read(connection).startswith(b"HTTP/1.1 400")


def test_malformed_variables_are_lines_of_the_log_and_end_the_process() -> None:
    ended = subprocess.run(
        ["sh", "-c", read_command("web")],
        cwd=ROOT,
        env=build_environ(
            read_example()
            | {"PORT": str(find_free_port()), "AUDIT_LINES": "x", "LOG_FORMAT": "xml"}
        ),
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = re.findall(r"\[CRITICAL\] (.*)", ended.stderr)
    assert said == [
        "AUDIT_LINES: “x” must be on or off",
        "LOG_FORMAT: “xml” is not one of: line, json",
    ]
    assert ended.returncode == 4 and "Traceback" not in ended.stderr


def test_health_that_is_asked_for_slowly_leaves_the_place_too(port: int) -> None:
    with ExitStack() as stack:
        take_all_threads(port, stack)
        for _ in range(5):
            send(stack.enter_context(connect(port)), "GET /healthz", end="\r\nX-Slow: so far")
        assert ask_for_health(port).startswith(b"HTTP/1.1 200")


def test_who_finds_no_thread_waits_for_one(port: int) -> None:
    with ExitStack() as stack:
        connections = take_all_threads(port, stack)
        for connection in connections:
            with connection:
                assert len(read(connection)) > LARGE
        assert ask_for_health(port, "/").startswith(b"HTTP/1.1 200")


def read_and_close(connection: socket.socket) -> bytes:
    """As a proxy does. Until it closes, the web process waits for it, two seconds at most."""
    with connection:
        return read(connection)


def is_refused(port: int) -> bool:
    try:
        connect(port).close()
    except ConnectionRefusedError:
        return True
    return False


def test_one_that_stops_answers_who_came_and_refuses_who_comes() -> None:
    """Neither may wait in a place that nobody looks at any more, and be cut off at the end."""
    with start_web_process() as (port, process), ExitStack() as stack:
        download, *came = [stack.enter_context(connect(port)) for _ in range(MANY)]
        send(download, "GET /large", "Connection: close")
        for connection in came:
            send(connection, "POST /", "Content-Length: 0", "Connection: close")
        pool = stack.enter_context(ThreadPoolExecutor(MANY))
        answers = [pool.submit(read_and_close, connection) for connection in came]
        process.terminate()
        wait_until(lambda: is_refused(port), seconds=28)
        assert process.poll() is None
        assert len(read_and_close(download)) > LARGE
        assert all(one.result().startswith(b"HTTP/1.1 200") for one in answers)
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(
    ("status", "request_text"),
    [
        (400, "GET /its-token\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nits-token\r\n\r\n"),
        (414, f"GET /{'its-token' * 1000} HTTP/1.1\r\n\r\n"),
        (431, f"GET / HTTP/1.1\r\nX-Long: {'its-token' * 1000}\r\n\r\n"),
        (501, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: its-token\r\n\r\n"),
    ],
    ids=["no version", "no header", "long line", "long header", "unknown coding"],
)
def test_a_refusal_bears_headers_and_repeats_nothing(
    status: int, request_text: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with run_web_process(log) as port, connect(port) as connection:
        connection.sendall(request_text.encode())
        head, _, body = read(connection).decode().partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    assert "Content-Security-Policy: default-src 'none'" in head
    assert "X-Content-Type-Options: nosniff" in head
    assert f"Content-Length: {len(body)}" in head
    assert log.read_text() and "its-token" not in body + log.read_text()
