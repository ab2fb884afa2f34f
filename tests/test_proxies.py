"""What deploy/ has before the web process: who is slow, or reads nothing, stops nobody else."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from tests.example import EXAMPLE, read_settings
from tests.proxies import ask, connect, needs_caddy, needs_nginx, run_caddy, run_nginx, say
from tests.web_answering import LARGE, OWN
from tests.web_process import find_free_port, run_web_process

RUN = {"nginx": run_nginx, "caddy": run_caddy}


class Proxy(NamedTuple):
    """Where one listens, and what it is."""

    port: int
    name: str


@pytest.fixture(
    params=[pytest.param("nginx", marks=needs_nginx), pytest.param("caddy", marks=needs_caddy)]
)
def name(request: pytest.FixtureRequest) -> str:
    """Each of the two."""
    return str(request.param)


@pytest.fixture
def proxy(name: str, tmp_path: Path) -> Iterator[Proxy]:
    """One before a web process."""
    with run_web_process() as web, RUN[name](tmp_path, web) as port:
        yield Proxy(port, name)


def test_it_hands_on_a_request(proxy: Proxy) -> None:
    # It speaks HTTP to the web process. Whether Django believes the header is TRUSTED_PROXIES.
    assert "\r\nhttp\r\n" in ask(proxy.port, "/", "X-Forwarded-Proto: https")


def test_it_says_who_asks_and_not_what_they_claim(proxy: Proxy) -> None:
    claims = ("For: 203.0.113.9", "Proto: http", "Host: evil.example.com")
    answer = ask(
        proxy.port, "/headers", "Forwarded: for=203.0.113.9", *(f"X-Forwarded-{c}" for c in claims)
    )
    told = dict(line.split("=", 1) for line in answer.splitlines() if line.startswith("HTTP_"))
    assert told["HTTP_X_FORWARDED_FOR"] == "127.0.0.1"
    assert told["HTTP_X_FORWARDED_PROTO"] == "https"
    assert told["HTTP_HOST"] == "dashboard.example.com"
    assert not told.get("HTTP_X_FORWARDED_HOST") and not told.get("HTTP_FORWARDED")


def test_forty_slow_senders_stop_nobody(proxy: Proxy) -> None:
    with ExitStack() as open_ones:
        for _ in range(40):
            connection = open_ones.enter_context(connect(proxy.port))
            say(connection, "POST /", "Content-Length: 1000")
            connection.sendall(b"so far")
        assert ask(proxy.port, "/").startswith("HTTP/1.1 200")


def test_twenty_unread_downloads_stop_nobody(proxy: Proxy) -> None:
    with ExitStack() as open_ones:
        for _ in range(20):
            say(open_ones.enter_context(connect(proxy.port)), "GET /large")
        assert ask(proxy.port, "/healthz").startswith("HTTP/1.1 200")
        if proxy.name == "nginx":  # Caddy keeps no answer on disk
            assert ask(proxy.port, "/").startswith("HTTP/1.1 200")


def test_a_download_comes_whole(proxy: Proxy) -> None:
    with connect(proxy.port) as connection:
        say(connection, "GET /large", "Connection: close")
        taken = sum(map(len, iter(lambda: connection.recv(65_536), b"")))
    assert taken > LARGE


def test_what_is_larger_than_the_dashboard_takes_is_refused(proxy: Proxy) -> None:
    with connect(proxy.port) as connection:
        say(connection, "POST /", f"Content-Length: {25 * 1024 * 1024}", "Connection: close")
        connection.sendall(b"x" * 25 * 1024 * 1024)
        assert b" 413 " in connection.recv(65_536)


def list_headers(answer: str) -> dict[str, list[str]]:
    """What each of OWN says in an answer, as often as it stands there."""
    head = answer.partition("\r\n\r\n")[0].lower()
    lines = [line.partition(": ") for line in head.splitlines()]
    return {name: [value for key, _, value in lines if key == name.lower()] for name in OWN}


def test_an_answer_of_the_dashboard_keeps_its_headers(proxy: Proxy) -> None:
    assert list_headers(ask(proxy.port, "/own")) == {name: ["own"] for name in OWN}


def check_own_headers(answer: str) -> None:
    found = read_settings(EXAMPLE)
    assert found["SECURE_HSTS_INCLUDE_SUBDOMAINS"] is True
    policy, transport, types, referrer = list_headers(answer).values()
    assert policy == ["default-src 'none'; frame-ancestors 'none'"]
    assert transport == [f"max-age={found['SECURE_HSTS_SECONDS']}; includesubdomains"]
    assert (types, referrer) == (["nosniff"], ["same-origin"])


def test_an_answer_of_the_proxy_bears_headers_too(proxy: Proxy) -> None:
    with connect(proxy.port) as connection:
        say(connection, "POST /", f"Content-Length: {25 * 1024 * 1024}", "Connection: close")
        connection.sendall(b"x" * 25 * 1024 * 1024)
        check_own_headers(connection.recv(65_536).decode())


@needs_nginx
def test_nginx_refuses_what_is_no_http_with_headers(tmp_path: Path) -> None:
    with run_nginx(tmp_path, find_free_port()) as port, connect(port) as connection:
        connection.sendall(b"GET\r\n\r\n")
        check_own_headers(connection.recv(65_536).decode())


def shake_hands(
    port: int, newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3, ciphers: str = "ALL"
) -> tuple[str, str]:
    """Protocol and cipher suite that the proxy and a browser of these agree on."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = newest
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    plain = socket.create_connection(("127.0.0.1", port), timeout=10)
    with plain, context.wrap_socket(plain, server_hostname="dashboard.example.com") as secured:
        return str(secured.version()), str((secured.cipher() or ("",))[0])


def test_it_speaks_the_newest_tls_and_strong_ciphers_only(proxy: Proxy) -> None:
    assert shake_hands(proxy.port)[0] == "TLSv1.3"
    older = ssl.TLSVersion.TLSv1_2
    version, suite = shake_hands(proxy.port, older)
    assert version == "TLSv1.2" and suite.startswith("ECDHE-") and "GCM" in suite
    for weak in ("AES128-SHA", "AES128-GCM-SHA256"):
        with pytest.raises(ssl.SSLError):
            shake_hands(proxy.port, older, weak)


def test_what_may_have_moved_money_is_sent_once(name: str, tmp_path: Path) -> None:
    taken = []

    def serve(web: socket.socket) -> None:
        """Answer each GET, and break off at each POST."""
        while True:
            connection, _ = web.accept()
            with connection:
                while (request := connection.recv(65_536)).startswith(b"GET"):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                taken.append(request[:4])

    with socket.create_server(("127.0.0.1", 0)) as web:
        Thread(target=serve, args=[web], daemon=True).start()
        with RUN[name](tmp_path, web.getsockname()[1]) as port, connect(port) as connection:
            assert " 200 " in ask(port, "/")
            # With this header, Go's client takes a POST for one that may be repeated.
            say(connection, "POST /", "Content-Length: 0", "Idempotency-Key: a-form")
            assert b" 502 " in connection.recv(65_536)
    assert taken.count(b"POST") == 1


@needs_nginx
@pytest.mark.parametrize(("method", "taken_by"), [("GET", 2), ("POST", 1)])
def test_what_one_host_breaks_off_another_gets_where_it_only_reads(
    method: str, taken_by: int, tmp_path: Path
) -> None:
    taken = []

    def break_off(web: socket.socket) -> None:
        while True:
            connection, _ = web.accept()
            with connection:
                taken.append(connection.recv(65_536))

    with ExitStack() as hosts:
        webs = [hosts.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        for web in webs:
            Thread(target=break_off, args=[web], daemon=True).start()
        ports = [web.getsockname()[1] for web in webs]
        with run_nginx(tmp_path, *ports) as port, connect(port) as connection:
            say(connection, f"{method} /", "Content-Length: 0")
            assert b" 502 " in connection.recv(65_536)
    assert [one.partition(b" ")[0].decode() for one in taken] == [method] * taken_by


@needs_nginx
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_no_host_has_got_yet_another_gets(method: str, tmp_path: Path) -> None:
    with run_web_process() as web, run_nginx(tmp_path, find_free_port(), web) as port:
        for _ in range(8):
            with connect(port) as connection:
                say(connection, f"{method} /", "Content-Length: 0", "Connection: close")
                assert b" 200 " in connection.recv(65_536)


def test_no_log_holds_an_address(name: str, tmp_path: Path) -> None:
    # A set-up link that did not reach the web process is still worth a password.
    with RUN[name](tmp_path, find_free_port()) as port:
        answer = ask(port, "/set-up/its-token/")
        assert " 502 " in answer
        check_own_headers(answer)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert not any(b"its-token" in text for text in files)
