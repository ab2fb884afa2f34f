"""How long a call may take, when it is tried again, and what holds it back unsent."""

import socket
import threading
import time

import pytest

from lendingadmin.lending.errors import (
    LendingError,
    NotSent,
    Saved,
    Throttled,
    TimedOut,
    Unreachable,
    Unreadable,
)
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.transport import pause_before_retry
from lendingadmin.lending.wire import Fault
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import HASTY, LOAN, client_to, transport_to

READ, WRITE = OPERATIONS["loans.get"], OPERATIONS["loans.makeRepayment"]


def test_a_thousand_full_loans_fit(fault_server: FaultServer) -> None:
    instalment = {"sequenceNo": 1, "startDate": "2026-01-01T00:00:00.000Z"} | {
        name: 12345.67 for name in ("repayment", "principal", "interest", "fees", "penalty")
    }
    loan = LOAN | {"contract": {"installments": [instalment] * 60, "fees": [instalment] * 5}}
    page = {"loans": [loan] * 1000, "nextPageToken": None}
    fault_server.on("GET", do.reply(page))
    client = client_to(fault_server.url)
    assert len(client.app("kenya").loans.list().items) == 1000


@pytest.mark.parametrize("drip", [do.drip_headers, do.drip_body], ids=["headers", "body"])
@pytest.mark.parametrize("operation", [READ, WRITE], ids=["read", "write"])
def test_the_deadline_ends_what_drips(operation, drip, fault_server: FaultServer) -> None:
    fault_server.on("/v1/", drip(0.01))
    started = time.monotonic()
    with pytest.raises(TimedOut):
        transport_to(fault_server.url, read_timeout=9.0, deadline=1.5).call(operation, "/v1/x")
    assert 1.4 < time.monotonic() - started < 6


def test_the_deadline_covers_all_tries(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.late(do.refusal(503), 0.25))
    started = time.monotonic()
    with pytest.raises(LendingError):
        transport_to(fault_server.url, deadline=0.4).call(READ, "/v1/x")
    assert time.monotonic() - started < 3


def test_a_large_body_to_one_who_does_not_read_ends_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(TimedOut) as caught:
            transport_to(url, **HASTY).call(WRITE, "/v1/x", body={"data": "x" * 20_000_000})
        assert time.monotonic() - started < 4
    assert caught.value.saved is Saved.UNKNOWN


def test_retry_after_is_waited_for(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.refusal(503, headers={"Retry-After": "1"}), do.reply(LOAN))
    started = time.monotonic()
    transport_to(fault_server.url).call(READ, "/v1/x")
    assert time.monotonic() - started >= 1.0


@pytest.mark.parametrize("odd", ["soon", "Thu, 01 Jan 99999999999 00:00:00 GMT"])
def test_an_odd_retry_after_is_passed_over(fault_server: FaultServer, odd: str) -> None:
    fault_server.on("/v1/", do.refusal(503, headers={"Retry-After": odd}), do.reply(LOAN))
    assert transport_to(fault_server.url).call(READ, "/v1/x").status == 200


@pytest.mark.parametrize(
    ("tries", "fault", "status", "retry_after", "lowest", "highest"),
    [
        (1, Fault.BROKEN, None, None, 0.1, 0.2),
        (2, Fault.BROKEN, None, None, 0.2, 0.4),
        (3, Fault.BROKEN, None, None, None, None),
        (1, Fault.NOT_OPENED, None, None, 0.1, 0.2),
        (1, Fault.TIMED_OUT, None, None, None, None),
        (1, Fault.GARBLED, None, None, None, None),
        (1, Fault.TOO_LARGE, 200, None, None, None),
        (1, None, 502, None, 0.1, 0.2),
        (1, None, 503, 2.0, 2.0, 2.0),
        (1, None, 503, 2.1, None, None),
        (1, None, 504, 0.0, 0.0, 0.0),
        (1, None, 500, None, None, None),
        (1, None, 429, 1.0, None, None),
    ],
)
def test_pauses(tries, fault, status, retry_after, lowest, highest) -> None:
    for _ in range(20):
        pause = pause_before_retry(
            tries, fault=fault, status=status, retry_after=retry_after, backoff=0.2
        )
        if lowest is None:
            assert pause is None
        else:
            assert pause is not None and lowest <= pause <= highest


def test_before_send_runs_with_the_connection_open_and_nothing_written(
    fault_server: FaultServer,
) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    seen = []

    def hook() -> None:
        time.sleep(0.05)  # time for anything already written to arrive
        seen.append((fault_server.connections(), fault_server.hits()))

    transport_to(fault_server.url).call(WRITE, "/v1/x", before_send=hook)
    assert (seen, fault_server.hits()) == ([(1, 0)], 1)


@pytest.mark.parametrize("error", [NotSent(), NotSent("Too late."), RuntimeError("database gone")])
def test_what_before_send_raises_sends_nothing(error, fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))

    def hook() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        transport_to(fault_server.url).call(WRITE, "/v1/x", before_send=hook)
    time.sleep(0.05)
    assert caught.value is error
    assert (fault_server.connections(), fault_server.hits()) == (1, 0)
    if isinstance(error, NotSent):
        assert (error.saved, error.operation) == (Saved.NO, WRITE.name)


def test_before_send_is_not_asked_when_no_connection_opens(refused_address: str) -> None:
    asked = []
    with pytest.raises(Unreachable):
        transport_to(refused_address).call(WRITE, "/v1/x", before_send=lambda: asked.append(1))
    assert asked == []


def test_a_pause_past_the_deadline_before_sending_sends_nothing(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    with pytest.raises(NotSent) as caught:
        transport_to(fault_server.url, deadline=1.0).call(
            WRITE, "/v1/x", before_send=lambda: time.sleep(1.1)
        )
    time.sleep(0.05)
    assert (caught.value.saved, fault_server.hits()) == (Saved.NO, 0)


def test_too_many_calls_are_held_back_at_once_and_places_come_back(
    fault_server: FaultServer,
) -> None:
    fault_server.on("/hang", do.hang())
    fault_server.on("/quick", do.reply(LOAN))
    transport = transport_to(fault_server.url, size=2, read_timeout=2.0)

    def stuck() -> None:
        with pytest.raises(TimedOut):
            transport.call(READ, "/hang")

    threads = [threading.Thread(target=stuck) for _ in range(2)]
    for thread in threads:
        thread.start()
    while fault_server.hits("/hang") < 2:
        time.sleep(0.01)
    with pytest.raises(Throttled) as caught:
        transport.call(WRITE, "/quick")
    assert all(thread.is_alive() for thread in threads)
    assert (caught.value.saved, fault_server.hits("/quick")) == (Saved.NO, 0)
    for thread in threads:
        thread.join()
    transport.call(WRITE, "/quick")
    assert fault_server.hits("/quick") == 1


def test_callers_do_not_wait_for_a_place_one_after_the_other(fault_server: FaultServer) -> None:
    fault_server.on("/hang", do.hang())
    transport = transport_to(fault_server.url, size=1, read_timeout=9.0, slot_wait=0.5)

    def stuck() -> None:
        with pytest.raises(LendingError):
            transport.call(READ, "/hang")

    thread = threading.Thread(target=stuck)
    thread.start()
    while not fault_server.hits("/hang"):
        time.sleep(0.01)
    began = time.monotonic()
    for _ in range(10):
        with pytest.raises(Throttled):
            transport.call(READ, "/quick")
    assert time.monotonic() - began < 4.0
    fault_server.stop()
    thread.join()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_a_body_past_the_limit_is_not_read(packed: bool, fault_server: FaultServer) -> None:
    body = b'{"accountId": "L1"' + b" " * 3_000_000 + b"}"
    fault_server.on("/v1/", do.gzipped(body) if packed else do.reply(body))
    assert transport_to(fault_server.url).call(READ, "/v1/x").json == {"accountId": "L1"}
    with pytest.raises(Unreadable) as caught:
        transport_to(fault_server.url, max_bytes=1_000_000).call(WRITE, "/v1/x")
    assert (caught.value.saved, caught.value.status) == (Saved.UNKNOWN, 200)
