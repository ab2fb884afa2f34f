"""What a FaultServer can do with a request. Each is made by a function and answers one request."""

import gzip
import json
from collections.abc import Mapping
from http import HTTPStatus

import simplejson

from tests.faults.server import Behaviour, Forwarded, Wire

_LONG = 60.0


def _head(status: int, headers: Mapping[str, str] | list[tuple[str, str]]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Odd"
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in pairs)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _body(body: bytes | str | object) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


def reply(
    body: bytes | str | object = b"", status: int = 200, headers: Mapping[str, str] | None = None
) -> Behaviour:
    """A proper answer; what is no text and no bytes goes out as JSON."""
    content = _body(body)
    whole = {
        "Content-Type": "application/json",
        "Content-Length": str(len(content)),
    } | dict(headers or {})

    def behave(wire: Wire) -> bool:
        wire.send(_head(status, whole) + content)
        return wire.request.headers.get("connection", "").lower() != "close"

    return behave


def echo(**fields: object) -> Behaviour:
    """What was sent comes back as it is, with these fields too."""

    def behave(wire: Wire) -> bool:
        body = simplejson.loads(wire.request.body, use_decimal=True)
        return reply(simplejson.dumps(fields | body, use_decimal=True))(wire)

    return behave


def refusal(status: int, words: str = "", headers: Mapping[str, str] | None = None) -> Behaviour:
    """An error body as the spec has it."""
    return reply({"error_description": words} if words else {}, status, headers)


def token(value: str = "token-1", **fields: object) -> Behaviour:
    """The issuer's answer."""
    return reply({"access_token": value, "token_type": "Bearer", "expires_at": 3600} | fields)


def html(status: int = 200) -> Behaviour:
    """What a gateway in between says."""
    return reply("<html><h1>Gateway</h1></html>", status, {"Content-Type": "text/html"})


def empty(status: int = 200) -> Behaviour:
    """A status and nothing more."""
    return reply(b"", status)


def truncated_json() -> Behaviour:
    """A body that is whole by its length and cut by its content."""
    return reply(b'{"accountId": "L1", "loanAmount": 12')


def redirect(location: str, status: int = 307) -> Behaviour:
    """Try elsewhere."""
    return reply(b"", status, {"Location": location})


def gzipped(body: bytes) -> Behaviour:
    """A packed answer."""
    return reply(gzip.compress(body), 200, {"Content-Encoding": "gzip"})


def raw(data: bytes) -> Behaviour:
    """Exactly these bytes, then the end."""

    def behave(wire: Wire) -> bool:
        wire.send(data)
        return False

    return behave


def close() -> Behaviour:
    """Close without a word."""
    return raw(b"")


def reset() -> Behaviour:
    """Break the connection once the request is in."""

    def behave(wire: Wire) -> bool:
        wire.reset()
        return False

    return behave


def reset_during(status: int = 200) -> Behaviour:
    """Break the connection in the middle of the body."""

    def behave(wire: Wire) -> bool:
        wire.send(_head(status, {"Content-Length": "1000"}) + b'{"accountId"')
        wire.pause(0.05)  # a reset overtakes bytes that are still on their way
        wire.reset()
        return False

    return behave


def hang(seconds: float = _LONG) -> Behaviour:
    """Take the request and say nothing."""

    def behave(wire: Wire) -> bool:
        wire.pause(seconds)
        return False

    return behave


def drip_headers(every: float = 0.02) -> Behaviour:
    """Headers that never end, a byte at a time."""

    def behave(wire: Wire) -> bool:
        wire.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while wire.pause(every):
            wire.send(b"a")
        return False

    return behave


def drip_body(every: float = 0.02, status: int = 200) -> Behaviour:
    """A body that never ends, a byte at a time."""

    def behave(wire: Wire) -> bool:
        wire.send(_head(status, {"Content-Length": "100000"}))
        while wire.pause(every):
            wire.send(b" ")
        return False

    return behave


def late(behaviour: Behaviour, seconds: float) -> Behaviour:
    """The same, after a while."""

    def behave(wire: Wire) -> bool:
        return wire.pause(seconds) and behaviour(wire)

    return behave


def _answer(wire: Wire, answer: Forwarded) -> bool:
    length = [("Content-Length", str(len(answer.body)))] if answer.status not in (204, 304) else []
    content = b"" if wire.request.method == "HEAD" else answer.body
    wire.send(_head(answer.status, [*answer.headers, *length, ("Connection", "close")]) + content)
    return False


def forward() -> Behaviour:
    """Before a real server: its own answer."""

    def behave(wire: Wire) -> bool:
        return _answer(wire, wire.forward())

    return behave


def handled_then(behaviour: Behaviour) -> Behaviour:
    """Before a real server: it handles the request, but this is what the client gets to see.

    `handled_then(reset())` drops the answer, `handled_then(hang())` keeps it back.
    """

    def behave(wire: Wire) -> bool:
        wire.forward()
        return behaviour(wire)

    return behave


def slow_answer(seconds: float) -> Behaviour:
    """Before a real server: it handles the request at once, and its answer comes later."""

    def behave(wire: Wire) -> bool:
        answer = wire.forward()
        return wire.pause(seconds) and _answer(wire, answer)

    return behave
