"""What deploy/nginx.conf and the web process take and pass on, header by header."""

import re
import socket
from collections.abc import Iterator

import pytest

from tests.processes import ROOT
from tests.web_process import run_web_process

SITE = re.sub(r"#.*", "", (ROOT / "deploy" / "nginx.conf").read_text())


def read(directive: str) -> list[str]:
    """What follows a directive, each time that it stands there."""
    return re.findall(rf"^\s*{directive}\s+([^;{{}}]+);", SITE, re.M)


def test_it_speaks_to_the_web_process_and_serves_nothing_itself() -> None:
    assert read("proxy_pass") == ["http://lendingadmin"]
    assert read("server") == ["127.0.0.1:8000 max_fails=3 fail_timeout=5s"]
    assert re.search(r"\b(root|alias|autoindex|resolver|try_files|fastcgi_pass)\b", SITE) is None


def test_plain_requests_are_sent_to_https_and_old_tls_is_refused() -> None:
    assert read("listen") == ["80", "[::]:80", "443 ssl", "[::]:443 ssl"]
    assert read("return") == ["301 https://$host$request_uri"]
    assert read("ssl_protocols") == ["TLSv1.2 TLSv1.3"]


def test_no_site_writes_addresses_into_a_log() -> None:
    """Not the one that only redirects, either: set-up links carry their token in the address."""
    sites = len(re.findall(r"^server \{", SITE, re.M))
    assert read("access_log") == ["off"] * sites == ["off", "off"]
    assert read("error_log") == ["/var/log/nginx/dashboard.error.log crit"] * sites


def test_no_browser_says_from_where_it_comes() -> None:
    headers = dict(one.split(None, 1) for one in read("proxy_set_header"))
    assert headers["X-Forwarded-For"] == "$remote_addr"
    assert headers["X-Forwarded-Proto"] == "$scheme"
    assert headers["X-Forwarded-Host"] == headers["Forwarded"] == '""'


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with run_web_process() as number:
        yield number


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: +5",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding : chunked",),
        ("Transfer-Encoding: xchunked",),
    ],
)
def test_a_request_with_two_ends_is_refused(lines: tuple[str, ...], port: int) -> None:
    """What one server takes for the end of a request, another may take for the next one's start."""
    text = "\r\n".join(("POST / HTTP/1.1", "Host: localhost", *lines, "", "0\r\n\r\nGET /x"))
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(text.encode())
        status = connection.recv(65_536).split(b" ", 2)[1]
    assert status in (b"400", b"501")
