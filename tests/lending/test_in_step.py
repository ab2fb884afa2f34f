"""Kinds of answer that leave or add bytes, and what the next request on the same thread is given.

A stranger's loan travels with each of them. The table shows 0 strangers: what a request is given is
its own record or an error. One thing can't be told on the wire: a list of the same kind that was
sent unasked and arrives only after the next request for such a list went out.
"""

import gzip
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import LendingError, TimedOut, Unreadable
from lendingadmin.lending.values import Value
from lendingadmin.lending.wire import Route
from tests.faults import behaviours as do
from tests.faults.server import Behaviour, FaultServer, Wire
from tests.lending.rig import HASTY, LOAN, client_to

L1 = json.dumps(LOAN).encode()
STRANGER = b'{"accountId":"STRANGER","uid":"STRANGER","loanAmount":9}'
INTERIM = {
    100: b"HTTP/1.1 100 Continue\r\n\r\n",
    102: b"HTTP/1.1 102 Processing\r\n\r\n",
    103: b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nContent-Length: 9\r\n\r\n",
    199: b"HTTP/1.1 199 Odd\r\nX-Odd: 1\r\n\r\n",
}


def head(*lines: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    return "\r\n".join([f"HTTP/{version} {status}", *lines, "", ""]).encode()


def whole(body: bytes, *lines: str, **more: str) -> bytes:
    return head(*lines, f"Content-Length: {len(body)}", **more) + body


def chunks(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n" % (len(body), body)


KEEP = "Connection: keep-alive"
CHUNKED = "Transfer-Encoding: chunked"
PACKED = gzip.compress(L1)
STRAY = whole(STRANGER)


class Kind(NamedTuple):
    """An answer to the first request: `now` at once, `then` a moment later, unasked.

    `reads` is whether the first request can be given its own record.
    """

    name: str
    now: bytes
    then: bytes = b""
    reads: bool = True


KINDS = [
    *(Kind(f"{status} first", INTERIM[status] + whole(L1)) for status in INTERIM),
    *(Kind(f"{status} three times", INTERIM[status] * 3 + whole(L1)) for status in INTERIM),
    Kind("100, 102 and 103", INTERIM[100] + INTERIM[102] + INTERIM[103] + whole(L1)),
    Kind("103 with a stranger after", INTERIM[103] + whole(L1) + STRAY),
    Kind("101", head("Upgrade: x", status="101 Switching Protocols") + STRAY, reads=False),
    Kind("endless 102", INTERIM[102] * 5000 + whole(L1), reads=False),
    Kind("a second answer glued on", whole(L1) + STRAY),
    Kind("half of a second answer glued on", whole(L1) + STRAY[:30], STRAY[30:]),
    Kind("a second answer a moment later", whole(L1), STRAY),
    Kind("an interim answer a moment later", whole(L1), INTERIM[103]),
    Kind("two answers a moment later", whole(L1), STRAY * 2),
    Kind("a line too many", whole(L1) + b"\r\n"),
    Kind("a body longer than its length", whole(L1) + STRANGER),
    Kind("a body longer than its length, later", whole(L1), STRANGER),
    Kind("204 with a body", whole(STRAY, status="204 No Content"), reads=False),
    Kind("304 with a body", whole(STRANGER, status="304 Not Modified"), reads=False),
    Kind("404 with more after it", whole(b"{}", status="404 Not Found") + STRAY, reads=False),
    Kind("500 with more a moment later", whole(b"{}", status="500 Oops"), STRAY, reads=False),
    Kind("chunks", head(CHUNKED) + chunks(L1) + b"\r\n"),
    Kind("junk after the last chunk", head(CHUNKED) + chunks(L1) + b"\r\njunk"),
    Kind("an answer after the last chunk", head(CHUNKED) + chunks(L1) + b"\r\n" + STRAY),
    Kind("an answer instead of the last line", head(CHUNKED) + chunks(L1) + STRAY),
    Kind("trailers", head(CHUNKED) + chunks(L1) + b"X-Sum: 1\r\nX-Other: 2\r\n\r\n"),
    Kind("trailers and an answer", head(CHUNKED) + chunks(L1) + b"X-Sum: 1\r\n\r\n" + STRAY),
    Kind("two lengths", whole(L1, "Content-Length: 5") + STRAY, reads=False),
    Kind("two lengths, the longer first", whole(L1, "Content-Length: 99") + STRAY, reads=False),
    Kind("the same length twice", whole(L1, f"Content-Length: {len(L1)}") + STRAY),
    Kind("length and chunks", head(CHUNKED, "Content-Length: 7") + chunks(L1) + b"\r\n", STRAY),
    Kind("chunks in 1.0", head(CHUNKED, KEEP, version="1.0") + chunks(L1) + b"\r\n", STRAY),
    Kind("an odd length", head(f"Content-Length: +{len(L1)}") + L1, STRAY),
    Kind("a packed body with bytes after it", whole(PACKED + STRAY, "Content-Encoding: gzip")),
    Kind("a short packed body", whole(PACKED[:-9], "Content-Encoding: gzip") + STRAY, reads=False),
    Kind("HTTP/1.0 kept alive", whole(L1, KEEP, version="1.0"), STRAY),
    Kind("HTTP/1.0", whole(L1, version="1.0"), STRAY),
    Kind("a plain answer", whole(L1)),
]  # fmt: skip


class Next(NamedTuple):
    """A request that follows, and what of its answer tells whose it is."""

    name: str
    call: Callable[[AppClient], Any]
    told: Callable[[Any], object]
    own: object


NEXT = [
    Next("the same get", lambda app: app.loans.get("L1"), lambda one: one.account_id, "L1"),
    Next("another get", lambda app: app.borrowers.get("B1"), lambda one: one.borrower_id, "B1"),
    Next("a list", lambda app: app.loans.list(), lambda page: page.items[0].account_id, "L1"),
    Next(
        "a write",
        lambda app: app.loans.make_repayment("L1", {"externalId": "R1"}),
        lambda one: one.account_id,
        "L1",
    ),
]
by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
by_next = pytest.mark.parametrize("following", NEXT, ids=lambda one: one.name)


def serve(server: FaultServer) -> None:
    """Everything's own record, properly."""
    server.on("/loans/L1", do.reply(LOAN))
    server.on("/borrowers/B1", do.reply({"borrowerId": "B1"}))
    server.on("GET /v1/projects/demo/apps/kenya/loans ", do.reply({"loans": [LOAN]}))
    server.default = do.reply({"loans": [LOAN]})


def answer(kind: Kind, sent: threading.Event) -> Behaviour:
    def behave(wire: Wire) -> bool:
        wire.send(kind.now)
        if kind.then:
            wire.pause(0.03)  # the client is done with the answer by then, or waits for more
            wire.send(kind.then)
        sent.set()
        return True

    return behave


def tell(following: Next, app: AppClient) -> object:
    """Whose record came, or the error that came instead."""
    try:
        found = following.call(app)
    except LendingError as error:
        return error
    shown = found.raw if isinstance(found, Value) else [item.raw for item in found.items]
    assert "STRANGER" not in json.dumps(shown, default=str)
    return following.told(found)


@by_kind
@by_next
def test_the_next_request_is_given_its_own(
    kind: Kind, following: Next, fault_server: FaultServer
) -> None:
    serve(fault_server)
    sent = threading.Event()
    fault_server.once("/loans/L1", answer(kind, sent))
    app = client_to(fault_server.url, read_timeout=1.0).app("kenya")
    first = tell(NEXT[0], app)
    assert sent.wait(5)
    assert first == "L1" if kind.reads else isinstance(first, LendingError)
    for one in (following, *NEXT):
        assert tell(one, app) == one.own


@by_next
def test_what_is_sent_unasked_while_a_request_is_out_is_nobodys(
    following: Next, fault_server: FaultServer
) -> None:
    """The stray answer comes before the request's own: only what it names can tell it."""
    serve(fault_server)
    app = client_to(fault_server.url).app("kenya")
    assert tell(NEXT[0], app) == "L1"

    def behave(wire: Wire) -> bool:
        wire.send(STRAY)
        wire.pause(0.03)
        wire.send(STRAY)
        return True

    fault_server.once("GET", behave)
    told = tell(following, app)
    assert told == following.own or isinstance(told, Unreadable)
    for one in NEXT:
        assert tell(one, app) == one.own


def test_two_answers_on_a_kept_connection_are_both_left(fault_server: FaultServer) -> None:
    """Which of them is the request's own can't be told: it is asked again on another connection."""
    serve(fault_server)
    app = client_to(fault_server.url).app("kenya")
    assert tell(NEXT[2], app) == "L1"
    stray = whole(b'{"loans": [%b]}' % STRANGER)

    def behave(wire: Wire) -> bool:
        wire.send(stray + whole(b'{"loans": [%b]}' % L1))
        return True

    fault_server.once("GET", behave)
    assert tell(NEXT[2], app) == "L1"


@pytest.mark.parametrize("early", [STRAY, b"", INTERIM[103]], ids=["answer", "end", "interim"])
def test_a_connection_that_speaks_before_it_is_asked_carries_nothing(
    early: bytes, fault_server: FaultServer
) -> None:
    serve(fault_server)
    reads = client_to(fault_server.url).app("kenya")
    assert tell(NEXT[0], reads) == "L1"
    fault_server.greet(early)
    with pytest.raises(LendingError) as caught:
        client_to(fault_server.url).app("kenya").loans.make_repayment(
            "L1", {"externalId": "R1"}, before_send=lambda: fault_server.greeted.wait(5)
        )
    assert caught.value.saved == "no"


@pytest.fixture
def tls_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """The same behind TLS; clients that heed the environment believe its certificate."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1))
    builder = builder.not_valid_after(now + timedelta(days=1)).add_extension(address, False)
    own = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "own.pem").write_bytes(own)
    (tmp_path / "both.pem").write_bytes(secret + own)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "own.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    server = FaultServer(do.refusal(404), tls=context)
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("kind", "connections"),
    [
        (Kind("in step", whole(L1)), 1),
        (Kind("interim", INTERIM[103] + whole(L1)), 1),
        (Kind("glued on", whole(L1) + STRAY), 2),
        (Kind("glued on, more than one read takes", whole(L1) + STRAY * 300), 2),
        (Kind("a moment later", whole(L1), STRAY), 2),
    ],
    ids=lambda one: one.name if isinstance(one, Kind) else str(one),
)
def test_a_tls_connection_is_kept_while_it_is_in_step(
    kind: Kind, connections: int, tls_server: FaultServer
) -> None:
    """What TLS sends of its own after the handshake is no answer."""
    serve(tls_server)
    sent = threading.Event()
    tls_server.once("/loans/L1", answer(kind, sent))
    app = client_to(tls_server.url, route=Route(trust_env=True)).app("kenya")
    assert tell(NEXT[0], app) == "L1" and sent.wait(5)
    for one in NEXT[:3]:
        assert tell(one, app) == one.own
    assert tls_server.connections() == connections
    assert tell(NEXT[3], app) == "L1"


def test_endless_interim_answers_end(fault_server: FaultServer) -> None:
    def drip(wire: Wire) -> bool:
        while wire.pause(0.05):
            wire.send(INTERIM[102])
        return False

    fault_server.on("/loans/L1", drip)
    with pytest.raises(TimedOut):
        client_to(fault_server.url, **HASTY).app("kenya").loans.get("L1")


def test_a_refusal_before_the_body_is_out_is_a_refusal(fault_server: FaultServer) -> None:
    serve(fault_server)

    def refuse(wire: Wire) -> bool:
        return do.refusal(413, "Too large")(wire)

    fault_server.on("POST", refuse)
    app = client_to(fault_server.url).app("kenya")
    with pytest.raises(LendingError) as caught:
        app.events.create({"data": "x" * 3_000_000})
    assert caught.value.status == 413
    for one in NEXT[:3]:
        assert tell(one, app) == one.own
