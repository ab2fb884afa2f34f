"""deploy/nginx.conf before the web process: who is slow, or reads nothing, stops nobody else."""

import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.web_answering import LARGE
from tests.web_process import find_free_port, run_web_process, wait_for

NGINX, OPENSSL = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin"), shutil.which("openssl")
pytestmark = pytest.mark.skipif(not (NGINX and OPENSSL), reason="nginx is not installed")

MAIN = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Where nginx listens for HTTPS, before a web process."""
    certify = (
        f"req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout {tmp_path}/key"
    )
    subprocess.run(
        [str(OPENSSL), *certify.split(), "-out", f"{tmp_path}/pem"], check=True, capture_output=True
    )
    number = find_free_port()
    with run_web_process() as web:
        site = (ROOT / "deploy" / "nginx.conf").read_text()
        for written, here in (
            ("127.0.0.1:8000", f"127.0.0.1:{web}"),
            ("listen 443", f"listen 127.0.0.1:{number}"),
            ("listen 80", f"listen 127.0.0.1:{find_free_port()}"),
            ("/etc/ssl/dashboard.pem", f"{tmp_path}/pem"),
            ("/etc/ssl/dashboard.key", f"{tmp_path}/key"),
        ):
            assert written in site
            site = site.replace(written, here)
        (tmp_path / "site.conf").write_text(site)
        (tmp_path / "nginx.conf").write_text(MAIN.format(folder=tmp_path))
        command = [str(NGINX), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            wait_for(number)
            yield number
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)


def connect(port: int) -> ssl.SSLSocket:
    """A browser's connection, which trusts this certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10))


def say(connection: ssl.SSLSocket, first: str, *headers: str) -> None:
    lines = (f"{first} HTTP/1.1", "Host: dashboard.example.com", *headers, "", "")
    connection.sendall("\r\n".join(lines).encode())


def ask(port: int, *headers: str) -> str:
    """What answers to somebody in a hurry."""
    with connect(port) as connection:
        connection.settimeout(3)
        say(connection, "GET /healthz", "Connection: close", *headers)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    return answer.decode()


def test_it_hands_on_a_request(port: int) -> None:
    # It speaks HTTP to the web process. Whether Django believes the header is TRUSTED_PROXIES.
    assert "\r\nhttp\r\n" in ask(port, "X-Forwarded-Proto: https")


def test_forty_slow_senders_stop_nobody(port: int) -> None:
    with ExitStack() as open_ones:
        for _ in range(40):
            connection = open_ones.enter_context(connect(port))
            say(connection, "POST /", "Content-Length: 1000")
            connection.sendall(b"so far")
        assert ask(port).startswith("HTTP/1.1 200")


def test_twenty_unread_downloads_stop_nobody(port: int) -> None:
    with ExitStack() as open_ones:
        for _ in range(20):
            say(open_ones.enter_context(connect(port)), "GET /large")
        assert ask(port).startswith("HTTP/1.1 200")


def test_a_download_comes_whole(port: int) -> None:
    with connect(port) as connection:
        say(connection, "GET /large", "Connection: close")
        taken = sum(map(len, iter(lambda: connection.recv(65_536), b"")))
    assert taken > LARGE


def test_what_is_larger_than_the_dashboard_takes_is_refused(port: int) -> None:
    with connect(port) as connection:
        say(connection, "POST /", f"Content-Length: {19 * 1024 * 1024}", "Connection: close")
        assert b" 413 " in connection.recv(65_536)
