"""A web application for tests of what stands before one.

It answers with the scheme that its server believes a request came by, and with 30 MB at `/large`.
"""

from collections.abc import Callable, Iterable
from typing import Any

LARGE = 30 * 1024 * 1024


def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [])
    if environ["PATH_INFO"] == "/large":
        return (b"x" * 65_536 for _ in range(LARGE // 65_536))
    environ["wsgi.input"].read()
    return [environ["wsgi.url_scheme"].encode()]
