"""What never reaches the API is refused in the API's form too: requests that are hardly HTTP."""

import socket
from urllib.parse import urlsplit

import pytest
import simplejson

from tests.sandbox_process import SandboxProcess


def answered(sandbox: SandboxProcess, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of what comes back for raw bytes."""
    parts = urlsplit(sandbox.base_url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as stream:
        stream.sendall(sent)
        stream.shutdown(socket.SHUT_WR)
        received = b""
        while piece := stream.recv(65536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(status.split()[1]), headers, body


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /v1/" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 9000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 300 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\nbad header: \x00\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400),
        (b"POST /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /v1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", 417),
    ],
    ids=lambda value: str(value)[:60],
)
def test_it_gets_an_error_description(sandbox: SandboxProcess, sent: bytes, status: int) -> None:
    found, headers, body = answered(sandbox, sent)
    assert found == status
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Request-Id"]
    assert simplejson.loads(body)["error_description"]
