"""A web application for tests of what stands before one.

It answers with the scheme that its server believes a request came by, with 30 MB at `/large`, with
the headers that it was sent at `/headers`, and with a header of each of OWN at `/own`.
"""

from collections.abc import Callable, Iterable
from typing import Any

LARGE = 30 * 1024 * 1024
OWN = (
    "Content-Security-Policy",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "Referrer-Policy",
)


def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [(name, "own") for name in OWN if environ["PATH_INFO"] == "/own"])
    if environ["PATH_INFO"] == "/large":
        return (b"x" * 65_536 for _ in range(LARGE // 65_536))
    if environ["PATH_INFO"] == "/headers":
        return [f"{name}={environ[name]}\n".encode() for name in environ if name[:5] == "HTTP_"]
    environ["wsgi.input"].read()
    return [environ["wsgi.url_scheme"].encode()]
