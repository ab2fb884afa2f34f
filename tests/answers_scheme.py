"""A web application that answers with the scheme that its server believes a request came by."""

from collections.abc import Callable, Iterable
from typing import Any


def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    start("200 OK", [])
    return [environ["wsgi.url_scheme"].encode()]
