"""The hostile service does what the name of each fault says: nothing is proved by a tame one."""

import json
import socket
import time
from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.proof.hostile import FAULTS, Hostile

# Whether the money has moved once the caller has what it gets, and what that begins with.
_COMMITS = {
    "honest",
    "lose_answer",
    "lose_answer_hanging",
    "fail_after_commit",
    "another_loan_committed",
    "words_of_an_error_committed",
    "interim_answer",
    "conflict_committed",
    "drip_committed",
    "reset_after_commit",
    "cut_after_commit",
}
_SEES = {
    "honest": b"HTTP/1.1 200",
    "refuse": b"HTTP/1.1 400",
    "fail_after_commit": b"HTTP/1.1 500",
    "fail_before_commit": b"HTTP/1.1 503",
    "ok_without_commit": b"HTTP/1.1 200",
    "another_loan": b"HTTP/1.1 200",
    "another_loan_committed": b"HTTP/1.1 200",
    "words_of_an_error": b"HTTP/1.1 200",
    "words_of_an_error_committed": b"HTTP/1.1 200",
    "interim_answer": b"HTTP/1.1 103",
    "conflict": b"HTTP/1.1 409",
    "conflict_committed": b"HTTP/1.1 409",
    "redirect": b"HTTP/1.1 307",
    "drip": b"HTTP/1.1 200",
    "drip_committed": b"HTTP/1.1 200",
    "cut_after_commit": b"HTTP/1.1 200",
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    with Hostile(tmp_path_factory.mktemp("hostile"), loans=3, hang=0.3, late=60) as running:
        yield running


def post(hostile: Hostile, amount: str = "10.01") -> bytes:
    """What a caller gets from one makeRepayment, until the connection ends."""
    body = b'{"externalId": "TX", "amount": ' + amount.encode() + b"}"
    path = b"/v1/projects/p/apps/a/loans/L-1:makeRepayment"
    head = b"POST " + path + b" HTTP/1.1\r\nContent-Length: " + str(len(body)).encode()
    address = hostile.url.removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1])), timeout=5) as sock:
        sock.sendall(head + b"\r\n\r\n" + body)
        got = b""
        try:
            while piece := sock.recv(65536):
                got += piece
        except ConnectionError:
            pass
        return got


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_what_its_name_says(hostile: Hostile, fault: str) -> None:
    before, seen = hostile.balances()["L-1"], len(hostile.events())
    hostile.plan(fault)
    got = post(hostile)
    events = hostile.events(since=seen)
    moved = hostile.balances()["L-1"] - before
    assert moved == (Decimal("10.01") if fault in _COMMITS else 0)
    assert any(event.kind == "committed" for event in events) == (fault in _COMMITS)
    assert {event.fault for event in events} == {fault}
    assert got.startswith(_SEES[fault]) if fault in _SEES else got == b""
    if fault == "ok_without_commit":
        assert events[-1].kind == "acknowledged"


@pytest.mark.parametrize("fault", ["commit_late", "commit_late_hanging"])
def test_a_late_commit_comes_by_itself(hostile: Hostile, fault: str) -> None:
    hostile.commit_late_now()
    hostile.settle_times(hang=0.1, late=0.3)
    hostile.plan(fault)
    before = hostile.balances()["L-1"]
    post(hostile)
    assert hostile.balances()["L-1"] == before
    for _ in range(200):
        if hostile.balances()["L-1"] == before + Decimal("10.01"):
            return
        time.sleep(0.01)
    raise AssertionError("the late commit never came")


def test_money_goes_out_to_its_last_digit(hostile: Hostile) -> None:
    before = hostile.balances()["L-1"]
    answer = post(hostile, "0.07").partition(b"\r\n\r\n")[2]
    paid = json.loads(answer, parse_float=Decimal)["balances"]["repayment"]["paid"]
    assert paid == before + Decimal("0.07")
    hostile.pay("L-1", "0.01")
    assert hostile.balances()["L-1"] == before + Decimal("0.08")
    assert hostile.events()[-1].by == "other"
