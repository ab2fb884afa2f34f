"""Reads at once: one token, one place under way, and no thread but the caller's knows the store."""

import threading
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from lendingadmin.lending.errors import (
    LendingError,
    NotAccepted,
    NotFound,
    NotSent,
    Saved,
    Throttled,
    TimedOut,
)
from lendingadmin.lending.parallel import read_in_parallel, write_in_parallel
from lendingadmin.lending.tokens import AccessToken
from lendingadmin.lending.transport import Call
from tests.faults import behaviours as do
from tests.faults.server import FaultServer, Wire
from tests.lending.rig import LOAN, any_loan, client_to


class WatchedTokens:
    """Counts calls, and notes the threads that they came from."""

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.asked = 0
        self.replaceable = True

    def get_token(self) -> AccessToken:
        self.threads.add(threading.current_thread().name)
        self.asked += 1
        now = datetime.now(UTC)
        return AccessToken(f"token-{self.asked}", now, now + timedelta(hours=1), "")

    def drop(self, refused: str) -> bool:
        self.threads.add(threading.current_thread().name)
        return self.replaceable


def test_results_stand_where_their_calls_stood(fault_server: FaultServer) -> None:
    both = threading.Barrier(2, timeout=5)

    def meet(wire: Wire) -> bool:
        both.wait()
        return do.reply(LOAN | {"borrowerId": "B1"})(wire)

    fault_server.on("/loans/L1", meet)
    fault_server.on("/borrowers/B1", meet)
    tokens, observed = WatchedTokens(), []
    client = client_to(
        fault_server.url, tokens, on_call=lambda call: observed.append(threading.get_ident())
    )
    app = client.app("kenya")
    loan, missing, borrower = read_in_parallel(
        client,
        lambda: app.loans.get("L1"),
        lambda: app.loans.get("L2"),
        lambda: app.borrowers.get("B1"),
    )
    assert (loan.account_id, borrower.borrower_id) == ("L1", "B1")
    assert isinstance(missing, NotFound)
    assert tokens.asked == 1
    assert tokens.threads == {threading.current_thread().name}
    assert observed == [threading.get_ident()] * 3


def test_a_refused_token_is_renewed_by_the_caller_and_only_refused_reads_run_again(
    fault_server: FaultServer,
) -> None:
    def only_new(wire: Wire) -> bool:
        good = wire.request.headers["authorization"] == "Bearer token-2"
        return (any_loan if good else do.refusal(401))(wire)

    fault_server.on("/loans/old", only_new)
    fault_server.on("/loans/any", any_loan)
    tokens = WatchedTokens()
    client = client_to(fault_server.url, tokens)
    loans = client.app("kenya").loans
    results = read_in_parallel(client, lambda: loans.get("old"), lambda: loans.get("any"))
    assert [loan.account_id for loan in results] == ["old", "any"]
    assert (fault_server.hits("/loans/old"), fault_server.hits("/loans/any")) == (2, 1)
    assert tokens.threads == {threading.current_thread().name}


def test_a_young_refused_token_is_the_reads_own_error(fault_server: FaultServer) -> None:
    fault_server.on("/loans/bad", do.refusal(401))
    fault_server.on("/loans/good", any_loan)
    tokens = WatchedTokens()
    tokens.replaceable = False
    client = client_to(fault_server.url, tokens)
    loans = client.app("kenya").loans
    bad, good = read_in_parallel(client, lambda: loans.get("bad"), lambda: loans.get("good"))
    assert isinstance(bad, NotAccepted)
    assert (good.account_id, tokens.asked, fault_server.hits()) == ("good", 1, 2)


class NoTokens(WatchedTokens):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_token(self) -> AccessToken:
        raise self.error


def test_without_a_token_every_read_is_a_call_that_ended_with_that_error(
    fault_server: FaultServer,
) -> None:
    observed: list[Call] = []
    tokens = NoTokens(NotAccepted(operation="token"))
    client = client_to(fault_server.url, tokens, on_call=observed.append)
    loans = client.app("kenya").loans
    results = read_in_parallel(client, lambda: loans.get("L1"), lambda: loans.get("L2"))
    assert [type(result) for result in results] == [NotAccepted, NotAccepted]
    assert fault_server.hits() == 0
    said = [(call.operation, call.path, call.error, call.attempts) for call in observed]
    paths = [f"/v1/projects/demo/apps/kenya/loans/{key}" for key in ("L1", "L2")]
    assert said == [("loans.get", path, "NotAccepted", 0) for path in paths]


def test_without_a_place_no_thread_is_waited_for(fault_server: FaultServer) -> None:
    """The threads may all wait for a service that hangs."""
    observed: list[Call] = []
    client = client_to(fault_server.url, size=1, slot_wait=0, on_call=observed.append)
    loans = client.app("kenya").loans
    threads = []

    def read(key: str) -> object:
        threads.append(threading.get_ident())
        return loans.get(key)

    with client.transport.take_slot():
        results = read_in_parallel(client, partial(read, "L1"), partial(read, "L2"))
    assert [type(result) for result in results] == [Throttled, Throttled]
    assert threads == [threading.get_ident()] * 2 and fault_server.hits() == 0
    assert [call.error for call in observed] == ["Throttled"] * 2


def test_a_write_does_not_go_out(fault_server: FaultServer) -> None:
    client = client_to(fault_server.url)
    loans = client.app("kenya").loans
    with pytest.raises(TypeError):
        read_in_parallel(client, lambda: loans.make_repayment("L1", {}))
    assert fault_server.hits() == 0


def test_one_joint_takes_one_place(fault_server: FaultServer) -> None:
    fault_server.on("/loans/", do.hang())
    fault_server.on("/borrowers/", do.reply({"borrowerId": "B1"}))
    client = client_to(fault_server.url, size=1, read_timeout=1.5)
    app = client.app("kenya")
    found: list[tuple[object, ...]] = []
    thread = threading.Thread(
        target=lambda: found.append(read_in_parallel(client, *[lambda: app.loans.get("L1")] * 4))
    )
    thread.start()
    while fault_server.hits() < 4:
        time.sleep(0.01)
    with pytest.raises(Throttled):
        app.borrowers.get("B1")
    (held,) = read_in_parallel(client, lambda: app.borrowers.get("B1"))
    assert isinstance(held, Throttled)
    thread.join()
    assert [type(one) for one in found[0]] == [TimedOut] * 4
    assert app.borrowers.get("B1").borrower_id == "B1"


def test_reads_that_waited_too_long_for_a_thread_are_not_sent(fault_server: FaultServer) -> None:
    fault_server.on("/loans/", do.hang())
    # Long enough for a busy machine to open the twelve connections.
    client = client_to(fault_server.url, read_timeout=2.0, deadline=2.0)
    loans = client.app("kenya").loans
    results = read_in_parallel(client, *[lambda: loans.get("L1")] * 20)
    assert all(isinstance(result, LendingError) for result in results)
    assert {type(result) for result in results} == {TimedOut, NotSent}
    assert fault_server.hits() == 12


def test_reads_that_take_longer_than_they_may_are_cut_off(fault_server: FaultServer) -> None:
    fault_server.on("/loans/quick", any_loan)
    fault_server.on("/loans/slow", do.late(any_loan, 8))
    client, began = client_to(fault_server.url, WatchedTokens()), time.monotonic()
    loans = client.app("kenya").loans
    quick, slow = read_in_parallel(
        client, lambda: loans.get("quick"), lambda: loans.get("slow"), seconds=1.5
    )
    assert quick.account_id == "quick"
    assert isinstance(slow, TimedOut)
    assert time.monotonic() - began < 7


def test_writes_are_out_at_once_and_each_result_stands_with_its_call(
    fault_server: FaultServer,
) -> None:
    all_there = threading.Barrier(3, timeout=5)

    def answer(wire: Wire) -> bool:
        all_there.wait()
        if "L2" in wire.request.path:
            return do.refusal(422, "closed")(wire)
        if "L3" in wire.request.path:
            return do.reset()(wire)
        return do.reply(LOAN, headers={"X-Request-Id": "first"})(wire)

    fault_server.on("makeRepayment", answer)
    tokens, observed = WatchedTokens(), []
    client = client_to(
        fault_server.url, tokens, size=1, on_call=lambda _: observed.append(threading.get_ident())
    )
    loans = client.app("kenya").loans
    first, refused, lost = write_in_parallel(
        client,
        lambda: loans.make_repayment("L1", {}),
        lambda: loans.make_repayment("L2", {}),
        lambda: loans.make_repayment("L3", {}),
    )
    assert first.result.account_id == "L1" and first.call and first.call.request_id == "first"
    assert refused.result.status == 422 and refused.call and refused.call.status == 422
    assert lost.result.saved == Saved.UNKNOWN
    assert tokens.asked == 1 and len(tokens.threads) == 1
    assert observed == [threading.get_ident()] * 3
    assert fault_server.hits("makeRepayment") == 3


def test_a_write_whose_token_was_refused_is_not_sent_again(fault_server: FaultServer) -> None:
    fault_server.on("makeRepayment", do.refusal(401))
    tokens = WatchedTokens()
    client = client_to(fault_server.url, tokens)
    loans = client.app("kenya").loans
    found = write_in_parallel(
        client, *[partial(loans.make_repayment, key, {}) for key in ("L1", "L2")]
    )
    assert [one.result.status for one in found] == [401, 401]
    assert fault_server.hits("makeRepayment") == 2 and tokens.asked == 1


def test_a_fault_of_one_write_is_its_own_result(fault_server: FaultServer) -> None:
    fault_server.on("makeRepayment", do.reply(LOAN))
    client = client_to(fault_server.url, WatchedTokens())
    loans = client.app("kenya").loans

    def fail() -> None:
        raise ZeroDivisionError

    broken, sound = write_in_parallel(client, fail, lambda: loans.make_repayment("L1", {}))
    assert isinstance(broken.result, ZeroDivisionError) and broken.call is None
    assert sound.result.account_id == "L1"


@pytest.mark.parametrize("error", [NotAccepted(operation="token"), ZeroDivisionError()])
def test_without_a_token_no_write_goes_out(fault_server: FaultServer, error: Exception) -> None:
    observed: list[Call] = []
    client = client_to(fault_server.url, NoTokens(error), on_call=observed.append)
    loans = client.app("kenya").loans
    calls = [partial(loans.make_repayment, key, {}) for key in ("L1", "L2")]
    written = write_in_parallel(client, *calls)
    assert [type(one.result) for one in written] == [type(error)] * 2
    assert fault_server.hits() == 0
    if isinstance(error, LendingError):
        assert [one.call for one in written] == observed and len(observed) == 2
        assert not any(call.may_have_saved for call in observed)
