"""Every fault of the wire in one table: what a read does, what a write does, what `saved` says."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from lendingadmin.lending.client import LendingClient
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    BadRequest,
    Conflict,
    LendingError,
    NotAllowed,
    NotFound,
    RateLimited,
    Saved,
    ServiceFault,
    TimedOut,
    TokenRefused,
    Unreachable,
    Unreadable,
)
from tests.faults import behaviours as do
from tests.faults.server import Behaviour, FaultServer
from tests.lending.rig import HASTY, LOAN, client_to

NO, UNKNOWN = Saved.NO, Saved.UNKNOWN


class Row(NamedTuple):
    """One fault. `reads` is how often a read hits the server; a write hits it once, always."""

    fault: str
    behaviour: Behaviour
    error: type[LendingError]
    reads: int
    write_saved: Saved


def client_for(row: Row, server: FaultServer) -> LendingClient:
    hasty = HASTY if row.error is TimedOut else {}
    return client_to(server.url, max_bytes=1_000_000, **hasty)


def after(seconds: str) -> dict[str, str]:
    return {"Retry-After": seconds}


SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}"
ENDLESS_LINE = b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 200_000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS_MARK = CHUNKED + b"1;" + b"a" * 3_000_000
# A small loan on the inside, three megabytes on the wire.
PADDED_MARKS = (
    CHUNKED
    + b'12\r\n{"accountId":"L1"}\r\n'
    + (b"1;" + b"a" * 1000 + b"\r\n \r\n") * 3000
    + b"0\r\n\r\n"
)
BOMB = b'"' + b" " * 3_000_000 + b'"'

TABLE = [
    # fault, what the server does, error, hits of a read, saved after a write
    Row("closed without a word", do.close(), ServiceFault, 3, UNKNOWN),
    Row("reset before the answer", do.reset(), ServiceFault, 3, UNKNOWN),
    Row("reset during the answer", do.reset_during(), ServiceFault, 3, UNKNOWN),
    Row("ended during the answer", do.raw(SHORT), ServiceFault, 3, UNKNOWN),
    Row("no answer in time", do.hang(), TimedOut, 1, UNKNOWN),
    Row("dripping headers", do.drip_headers(), TimedOut, 1, UNKNOWN),
    Row("dripping body", do.drip_body(), TimedOut, 1, UNKNOWN),
    Row("500", do.refusal(500), ServiceFault, 1, UNKNOWN),
    Row("500 Retry-After 0", do.refusal(500, headers=after("0")), ServiceFault, 1, UNKNOWN),
    Row("502", do.refusal(502), ServiceFault, 3, UNKNOWN),
    Row("502 Retry-After 0", do.refusal(502, headers=after("0")), ServiceFault, 3, UNKNOWN),
    Row("502 Retry-After 9", do.refusal(502, headers=after("9")), ServiceFault, 1, UNKNOWN),
    Row("503", do.refusal(503), ServiceFault, 3, UNKNOWN),
    Row("503 Retry-After 0", do.refusal(503, headers=after("0")), ServiceFault, 3, UNKNOWN),
    Row("503 Retry-After 9", do.refusal(503, headers=after("9")), ServiceFault, 1, UNKNOWN),
    Row("503 Retry-After odd", do.refusal(503, headers=after("soon")), ServiceFault, 3, UNKNOWN),
    Row("504", do.refusal(504), ServiceFault, 3, UNKNOWN),
    Row("502 that breaks off", do.reset_during(502), ServiceFault, 3, UNKNOWN),
    Row("429", do.refusal(429, headers=after("7")), RateLimited, 1, NO),
    Row("307", do.redirect("/elsewhere"), ServiceFault, 1, UNKNOWN),
    Row("303", do.redirect("/elsewhere", 303), ServiceFault, 1, UNKNOWN),
    Row("200 HTML", do.html(), Unreadable, 1, UNKNOWN),
    Row("500 HTML", do.html(500), ServiceFault, 1, UNKNOWN),
    Row("404 HTML", do.html(404), NotFound, 1, NO),
    Row("404 that breaks off", do.reset_during(404), NotFound, 1, NO),
    Row("truncated JSON", do.truncated_json(), Unreadable, 1, UNKNOWN),
    Row("200 with nothing in it", do.empty(), Unreadable, 1, UNKNOWN),
    Row("204", do.empty(204), Unreadable, 1, UNKNOWN),
    Row("another shape", do.reply([1, 2]), Unreadable, 1, UNKNOWN),
    Row("NaN", do.reply(b'{"loanAmount": NaN}'), Unreadable, 1, UNKNOWN),
    Row("Infinity", do.reply(b'{"loanAmount": -Infinity}'), Unreadable, 1, UNKNOWN),
    Row("absurd number", do.reply(b'{"loanAmount": 1e999999999}'), Unreadable, 1, UNKNOWN),
    Row("absurd digits", do.reply(b"1" * 9000), Unreadable, 1, UNKNOWN),
    Row("deep nesting", do.reply(b"[" * 100_000), Unreadable, 1, UNKNOWN),
    Row("not UTF-8", do.reply(b'"\xff\xfe"'), Unreadable, 1, UNKNOWN),
    Row("no HTTP", do.raw(b"SSH-2.0-x\r\n\r\n"), Unreadable, 1, UNKNOWN),
    Row("endless header", do.raw(ENDLESS_LINE), Unreadable, 1, UNKNOWN),
    Row("endless chunk mark", do.raw(ENDLESS_MARK), ServiceFault, 3, UNKNOWN),
    Row("padded chunk marks", do.raw(PADDED_MARKS), AnswerTooLarge, 1, UNKNOWN),
    Row("no gzip", do.reply(b"xx", headers={"Content-Encoding": "gzip"}), Unreadable, 1, UNKNOWN),
    Row("too large", do.reply(BOMB), AnswerTooLarge, 1, UNKNOWN),
    Row("too large, packed", do.gzipped(BOMB), AnswerTooLarge, 1, UNKNOWN),
    Row("400", do.refusal(400), BadRequest, 1, NO),
    Row("401", do.refusal(401), TokenRefused, 1, NO),
    Row("403", do.refusal(403), NotAllowed, 1, NO),
    Row("404", do.refusal(404), NotFound, 1, NO),
    Row("405", do.refusal(405), ServiceFault, 1, UNKNOWN),
    Row("408", do.refusal(408), ServiceFault, 1, UNKNOWN),
    Row("409 on no create", do.refusal(409), Conflict, 1, UNKNOWN),
    Row("410", do.refusal(410), ServiceFault, 1, UNKNOWN),
    Row("413", do.refusal(413), BadRequest, 1, UNKNOWN),
    Row("415", do.refusal(415), BadRequest, 1, UNKNOWN),
    Row("422", do.refusal(422), BadRequest, 1, NO),
    Row("599", do.refusal(599), ServiceFault, 1, UNKNOWN),
]

each = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.fault)


@each
def test_read(row: Row, fault_server: FaultServer) -> None:
    fault_server.on("/loans/L1", row.behaviour)
    with pytest.raises(LendingError) as caught:
        client_for(row, fault_server).app("kenya").loans.get("L1")
    assert (type(caught.value), caught.value.saved) == (row.error, NO)
    assert (fault_server.hits(), fault_server.hits("elsewhere")) == (row.reads, 0)


@each
def test_write(row: Row, fault_server: FaultServer) -> None:
    fault_server.on("/loans/L1", row.behaviour)
    loans = client_for(row, fault_server).app("kenya").loans
    with pytest.raises(LendingError) as caught:
        loans.make_repayment("L1", {"externalId": "R1"})
    assert (type(caught.value), caught.value.saved) == (row.error, row.write_saved)
    assert (fault_server.hits(), fault_server.hits("elsewhere")) == (1, 0)


@pytest.mark.parametrize("where", ["refused_address", "unanswered_address"])
def test_a_connection_that_never_opens_saves_nothing(
    where: str, request: pytest.FixtureRequest
) -> None:
    calls = []
    loans = client_to(request.getfixturevalue(where), on_call=calls.append, connect_timeout=0.3)
    with pytest.raises(Unreachable) as read:
        loans.app("kenya").loans.get("L1")
    with pytest.raises(Unreachable) as write:
        loans.app("kenya").loans.make_repayment("L1", {"externalId": "R1"})
    assert (read.value.saved, write.value.saved) == (NO, NO)
    assert [(call.attempts, call.faults) for call in calls] == [
        (3, ("not opened",) * 3),
        (1, ("not opened",)),
    ]


def test_a_refused_create_that_exists_saved_nothing(fault_server: FaultServer) -> None:
    fault_server.on("POST", do.refusal(409, "Borrower exists"))
    with pytest.raises(Conflict) as caught:
        client_to(fault_server.url).app("kenya").borrowers.create({"borrowerId": "B1"})
    assert (caught.value.saved, caught.value.error_description) == (NO, "Borrower exists")


def test_a_preview_saves_nothing_though_it_is_a_post(fault_server: FaultServer) -> None:
    fault_server.on("POST", do.reset())
    with pytest.raises(ServiceFault) as caught:
        client_to(fault_server.url).app("kenya").borrowers.get_offer_contracts(
            "B1", offer_summary={}, amount=5
        )
    assert (caught.value.saved, fault_server.hits()) == (NO, 1)


def flaky(*first: Behaviour) -> Callable[[FaultServer], None]:
    return lambda server: server.on("/loans/L1", *first, do.reply(LOAN))


@pytest.mark.parametrize(
    ("prepare", "faults"),
    [
        (flaky(do.refusal(503)), ("503",)),
        (flaky(do.reset(), do.refusal(502)), ("broken off", "502")),
        (flaky(do.reset_during(), do.close()), ("broken off", "broken off")),
    ],
    ids=["503", "reset, 502", "reset during, closed"],
)
def test_a_read_recovers(
    prepare: Callable[[FaultServer], None], faults: tuple[str, ...], fault_server: FaultServer
) -> None:
    prepare(fault_server)
    calls = []
    client = client_to(fault_server.url, on_call=calls.append)
    assert client.app("kenya").loans.get("L1").account_id == "L1"
    assert (calls[0].faults, calls[0].attempts, calls[0].error) == (faults, len(faults) + 1, None)
