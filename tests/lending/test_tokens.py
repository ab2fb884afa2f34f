"""The one token: who renews it, what a 401 does to it, what a refusal does."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lendingadmin.lending.errors import (
    LendingError,
    NotAccepted,
    Saved,
    TimedOut,
)
from lendingadmin.lending.tokens import (
    AccessToken,
    MemoryTokenStore,
    Refusal,
    TokenState,
    TokenStore,
)
from tests.faults import behaviours as do
from tests.faults.server import FaultServer, Wire
from tests.lending.rig import Clock, any_loan, client_to, source_at

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
TOKEN = "/v1/oauth2/token"


def numbered() -> "do.Behaviour":
    """token-1, token-2, …"""
    lock, count = threading.Lock(), 0

    def behave(wire: Wire) -> bool:
        nonlocal count
        with lock:
            count += 1
            value = f"token-{count}"
        return do.token(value)(wire)

    return behave


def test_a_token_is_used_until_four_fifths_of_its_life(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    clock = Clock()
    source = source_at(fault_server.url, clock=clock)
    assert source.get_token().value == "token-1"
    clock.forward(0.79 * 3600)
    assert source.get_token().value == "token-1"
    clock.forward(0.02 * 3600)
    assert source.get_token().value == "token-2"


def test_one_renews_while_the_others_go_on(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    clock = Clock()
    source = source_at(fault_server.url, clock=clock)
    source.get_token()
    clock.forward(0.9 * 3600)
    fault_server.on(TOKEN, do.late(do.token("renewed"), 1.0))
    values: list[tuple[str, float]] = []

    def ask() -> None:
        started = time.monotonic()
        value = source.get_token().value
        values.append((value, time.monotonic() - started))

    _at_once(16, ask)
    assert sorted(value for value, _ in values) == ["renewed"] + ["token-1"] * 15
    assert max(seconds for value, seconds in values if value == "token-1") < 0.9
    assert fault_server.hits(TOKEN) == 2


def test_a_renewal_that_fails_leaves_the_token_in_hand(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, do.token("old"), do.refusal(401))
    clock = Clock()
    source = source_at(fault_server.url, clock=clock)
    source.get_token()
    clock.forward(0.9 * 3600)
    assert [source.get_token().value for _ in range(5)] == ["old"] * 5
    assert fault_server.hits(TOKEN) == 2
    clock.forward(0.2 * 3600)
    with pytest.raises(NotAccepted):
        source.get_token()


def test_threads_without_a_token_ask_once(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, do.late(numbered(), 0.1))
    source = source_at(fault_server.url)
    values: list[str] = []
    _at_once(16, lambda: values.append(source.get_token().value))
    assert values == ["token-1"] * 16
    assert fault_server.hits(TOKEN) == 1


def test_two_sources_share_what_one_store_holds(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, do.late(numbered(), 0.1))
    store = MemoryTokenStore()
    sources = [source_at(fault_server.url, store=store) for _ in range(8)]
    values: list[str] = []
    pending = list(sources)
    _at_once(8, lambda: values.append(pending.pop().get_token().value))
    assert values == ["token-1"] * 8
    assert fault_server.hits(TOKEN) == 1


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusing_issuer_is_asked_once_in_thirty_seconds(
    status: int, fault_server: FaultServer
) -> None:
    fault_server.on(TOKEN, do.refusal(status, "no such client"))
    clock = Clock()
    store = MemoryTokenStore()
    sources = [source_at(fault_server.url, clock=clock, store=store) for _ in range(4)]

    def ask() -> None:
        for source in sources:
            with pytest.raises(NotAccepted) as caught:
                source.get_token()
            assert (caught.value.status, caught.value.error_description) == (
                status,
                "no such client",
            )
            assert (caught.value.saved, caught.value.operation) == (Saved.NO, "token")

    _at_once(4, ask)
    assert fault_server.hits(TOKEN) == 1
    for elapsed in range(1, 121):
        clock.forward(1)
        ask()
        assert fault_server.hits(TOKEN) == 1 + elapsed // 30
    fault_server.on(TOKEN, do.token())
    clock.forward(30)
    assert sources[0].get_token().value == "token-1"
    assert sources[1].get_token().value == "token-1"


def test_waiting_for_another_ends(fault_server: FaultServer) -> None:
    store, clock = MemoryTokenStore(), Clock()
    lease(store, clock.now, 10)
    source = source_at(fault_server.url, store=store, clock=clock)
    source._longest_wait = 0.3
    with pytest.raises(TimedOut) as caught:
        source.get_token()
    assert (caught.value.saved, fault_server.hits()) == (Saved.NO, 0)


def only(good: str) -> "do.Behaviour":
    """Accepts this token alone."""

    def behave(wire: Wire) -> bool:
        accepted = wire.request.headers.get("authorization") == f"Bearer {good}"
        return (any_loan if accepted else do.refusal(401))(wire)

    return behave


def test_a_read_with_a_dead_token_gets_a_new_one_and_succeeds(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    fault_server.on("/loans/", only("token-2"))
    clock = Clock()
    source = source_at(fault_server.url, clock=clock)
    source.get_token()
    clock.forward(31)
    assert client_to(fault_server.url, source).app("kenya").loans.get("L1").account_id == "L1"
    assert (fault_server.hits(TOKEN), fault_server.hits("/loans/")) == (2, 2)


def test_a_write_with_a_dead_token_is_not_sent_again(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    fault_server.on("/loans/", only("token-2"))
    clock = Clock()
    source = source_at(fault_server.url, clock=clock)
    source.get_token()
    clock.forward(31)
    loans = client_to(fault_server.url, source).app("kenya").loans
    with pytest.raises(NotAccepted) as caught:
        loans.make_repayment("L1", {"externalId": "R1"})
    assert (caught.value.saved, fault_server.hits("/loans/")) == (Saved.NO, 1)
    loans.make_repayment("L1", {"externalId": "R1"})  # the person's own next try
    assert fault_server.hits(TOKEN) == 2


def test_an_operation_that_is_always_refused_locks_out_nothing_but_itself(
    fault_server: FaultServer,
) -> None:
    fault_server.on(TOKEN, numbered())
    fault_server.on("/loans/bad", do.refusal(401))
    fault_server.on("/loans/good", any_loan)
    clock = Clock()
    loans = client_to(fault_server.url, source_at(fault_server.url, clock=clock)).app("kenya").loans
    for second in range(120):
        with pytest.raises(NotAccepted):
            loans.get("bad")
        assert loans.get("good").account_id == "good"
        clock.forward(1)
        assert fault_server.hits(TOKEN) <= 1 + second // 30 + 1
    assert fault_server.hits("/loans/good") == 120


def test_only_the_refused_token_is_dropped(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    clock, store = Clock(), MemoryTokenStore()
    first = source_at(fault_server.url, clock=clock, store=store)
    second = source_at(fault_server.url, clock=clock, store=store)
    assert first.get_token().value == second.get_token().value == "token-1"
    clock.forward(31)
    assert first.drop("token-1")
    assert first.get_token().value == "token-2"
    assert second.drop("token-1")  # another has taken its place already
    assert second.get_token().value == "token-2"
    assert not second.drop("token-2")  # younger than 30 s: it works
    assert fault_server.hits(TOKEN) == 2


def test_nothing_secret_shows(fault_server: FaultServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    fault_server.on(TOKEN, do.token("secret-token"), do.refusal(401), do.reset())
    clock, shown = Clock(), []
    source = source_at(fault_server.url, clock=clock)
    shown += [repr(source.get_token()), repr(source), str(source.get_token())]
    for _ in range(2):
        clock.forward(3600)
        with pytest.raises(LendingError) as caught:
            source.get_token()
        shown += [repr(caught.value), str(caught.value), repr(vars(caught.value))]
    shown.append(caplog.text)
    for word in ("secret-token", "hush-hush"):
        assert not [text for text in shown if word in text]


def lease(store: TokenStore, now: datetime, seconds: float) -> None:
    """Somebody else renews the token."""
    state = store.load()
    assert store.swap(state, replace(state, leased_until=now + timedelta(seconds=seconds)))


def test_a_lease_passes_on_when_its_holder_is_gone(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    store, clock = MemoryTokenStore(), Clock()
    lease(store, clock.now, 10)
    clock.forward(10)
    assert source_at(fault_server.url, store=store, clock=clock).get_token().value == "token-1"
    assert store.load().leased_until is None


def test_a_lease_that_passed_on_is_not_given_back(fault_server: FaultServer) -> None:
    store, clock = MemoryTokenStore(), Clock()
    theirs = clock.now + timedelta(seconds=40)

    def late(wire: Wire) -> bool:
        """While we wait for the issuer, our lease runs out and another caller takes it."""
        clock.forward(20)
        assert store.swap(store.load(), replace(store.load(), leased_until=theirs))
        return do.token("ours")(wire)

    fault_server.on(TOKEN, late)
    source = source_at(fault_server.url, store=store, clock=clock)
    assert source.get_token().value == "ours"
    assert store.load().leased_until == theirs


def test_a_late_failure_leaves_the_token_that_another_got(fault_server: FaultServer) -> None:
    store, clock = MemoryTokenStore(), Clock()

    def late(wire: Wire) -> bool:
        token = AccessToken("theirs", clock.now, clock.now + timedelta(hours=1), "")
        assert store.swap(store.load(), TokenState(token))
        return do.refusal(401)(wire)

    fault_server.on(TOKEN, late)
    source = source_at(fault_server.url, store=store, clock=clock)
    with pytest.raises(NotAccepted):
        source.get_token()
    assert source.get_token().value == "theirs"


def test_a_token_that_is_dropped_during_a_renewal_is_not_used_again(
    fault_server: FaultServer,
) -> None:
    store, clock = MemoryTokenStore(), Clock()
    source = source_at(fault_server.url, store=store, clock=clock)
    fault_server.on(TOKEN, do.token("old"))
    source.get_token()
    clock.forward(0.9 * 3600)
    others: list[str] = []

    def slow(wire: Wire) -> bool:
        assert source.drop("old")
        thread = threading.Thread(target=lambda: others.append(source.get_token().value))
        thread.start()
        time.sleep(0.3)
        waiting.append(thread)
        return do.token("new")(wire)

    waiting: list[threading.Thread] = []
    fault_server.on(TOKEN, slow)
    assert source.get_token().value == "new"
    waiting[0].join()
    assert (others, fault_server.hits(TOKEN)) == (["new"], 2)


class LateStore(MemoryTokenStore):
    """Somebody else finishes between our look at the store and our lease."""

    def __init__(self, finished: TokenState) -> None:
        super().__init__()
        self._finished = finished

    def swap(self, before: TokenState, after: TokenState) -> bool:
        self._state = self._finished
        return super().swap(before, after)


def test_a_caller_that_comes_too_late_for_the_lease_looks_again(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, numbered())
    token = AccessToken("theirs", NOW, NOW + timedelta(hours=1), "")
    refusal = Refusal(NOW + timedelta(seconds=30), "NotAccepted", 401, None, "Refused.")
    renewed = source_at(fault_server.url, clock=Clock(), store=LateStore(TokenState(token)))
    refused = source_at(
        fault_server.url, clock=Clock(), store=LateStore(TokenState(refusal=refusal))
    )
    assert renewed.get_token().value == "theirs"
    with pytest.raises(NotAccepted):
        refused.get_token()
    assert fault_server.hits() == 0


def test_a_token_knows_its_age() -> None:
    token = AccessToken("x", NOW, NOW + timedelta(seconds=100), "")
    assert token.is_fresh(NOW + timedelta(seconds=79))
    assert not token.is_fresh(NOW + timedelta(seconds=80))
    assert token.is_usable(NOW + timedelta(seconds=99))
    assert not token.is_usable(NOW + timedelta(seconds=100))


def _at_once(count: int, work: "object") -> None:
    assert callable(work)
    gate = threading.Barrier(count)
    failures: list[BaseException] = []

    def run() -> None:
        gate.wait()
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
