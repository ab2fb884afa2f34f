"""Every store keeps the same promises; those that processes share keep them between processes."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from lendingadmin.core.encryption import bind
from lendingadmin.core.gateway.models import DatabaseTokenStore, ServiceToken
from lendingadmin.lending.errors import NotAccepted
from lendingadmin.lending.tokens import (
    AccessToken,
    MemoryTokenStore,
    Refusal,
    TokenState,
    TokenStore,
)
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import Clock, source_at
from tests.processes import run_workers

HOUR = timedelta(hours=1)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client_id() -> str:
    return uuid4().hex


def database_store(client_id: str) -> DatabaseTokenStore:
    return DatabaseTokenStore("http://issuer", client_id, "platform.lending")


@pytest.fixture(params=["memory", "database"])
def store(request: pytest.FixtureRequest, client_id: str) -> TokenStore:
    return MemoryTokenStore() if request.param == "memory" else database_store(client_id)


def a_token(value: str = "secret-value", age: timedelta = timedelta(0)) -> AccessToken:
    now = datetime.now(UTC)
    return AccessToken(value, now - age, now - age + HOUR, "platform.lending")


def a_refusal() -> Refusal:
    return Refusal(
        datetime.now(UTC) + timedelta(seconds=30), "NotAccepted", 401, "no such client", "Not so."
    )


def keep(store: TokenStore, **fields: Any) -> None:
    before = store.load()
    assert store.swap(before, replace(before, **fields))


def test_an_empty_store_has_nothing(store: TokenStore) -> None:
    assert store.load() == TokenState()


def test_what_is_stored_comes_back(store: TokenStore) -> None:
    keep(store, token=a_token("one"))
    token, refusal, leased_until = a_token("two"), a_refusal(), datetime.now(UTC)
    keep(store, token=token, refusal=refusal, leased_until=leased_until)
    state = store.load()
    assert (state.token, state.refusal, state.leased_until) == (token, refusal, leased_until)


def test_only_what_was_loaded_last_is_replaced(store: TokenStore) -> None:
    first = store.load()
    assert store.swap(first, TokenState(a_token("old")))
    second = store.load()
    assert not store.swap(first, TokenState(a_token("late")))
    assert store.swap(second, TokenState(a_token("new")))
    assert not store.swap(second, TokenState())
    found = store.load().token
    assert found is not None and found.value == "new"


def test_a_refusal_stays_until_a_token_comes(store: TokenStore, fault_server: FaultServer) -> None:
    clock = Clock()
    source = source_at(fault_server.url, store=store, clock=clock)
    fault_server.on("POST /v1/oauth2/token", do.refusal(401), do.token())
    with pytest.raises(NotAccepted):
        source.get_token()
    assert store.load().refusal is not None
    clock.forward(31)
    source.get_token()
    assert store.load().refusal is None


def test_of_sixteen_one_wins_the_lease(store: TokenStore) -> None:
    for _ in range(5):
        gate = threading.Barrier(16)
        won: list[bool] = []

        def race(gate: threading.Barrier = gate, won: list[bool] = won) -> None:
            before = store.load()
            gate.wait()
            try:
                won.append(store.swap(before, replace(before, leased_until=datetime.now(UTC))))
            finally:
                connection.close()

        threads = [threading.Thread(target=race) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(won), sum(won)) == (16, 1)


def test_the_database_holds_no_token_in_clear(client_id: str) -> None:
    keep(database_store(client_id), token=a_token("secret-value"))
    row = ServiceToken.objects.values().get()
    assert "secret-value" not in str(row)
    assert "secret-value" not in repr(ServiceToken.objects.get())


@pytest.mark.parametrize("lost", ["key", "format"])
def test_a_state_that_cannot_be_read_is_empty_and_is_replaced(
    lost: str, client_id: str, settings: Any
) -> None:
    store = database_store(client_id)
    keep(store, token=a_token())
    if lost == "key":
        settings.DATA_KEYS = ("b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItb3Q=",)
    else:
        state = '{"token": "of another version"}'
        row = ServiceToken.objects.get()
        ServiceToken.objects.update(**bind(row, encrypted=state))
    assert store.load() == TokenState(version=1)
    keep(store, token=a_token("new"))
    assert store.load().token is not None


def test_accounts_do_not_share() -> None:
    accounts = [("u", "a", "s"), ("u", "a", "t"), ("u", "b", "s"), ("v", "a", "s")]
    for account in accounts:
        keep(DatabaseTokenStore(*account), token=a_token("-".join(account)))
    for account in accounts:
        token = DatabaseTokenStore(*account).load().token
        assert token is not None and token.value == "-".join(account)


@pytest.mark.parametrize("age", [timedelta(hours=2), timedelta(minutes=54)], ids=["over", "ending"])
def test_four_processes_of_sixteen_threads_make_one_token_call(
    age: timedelta, client_id: str, fault_server: FaultServer
) -> None:
    store = DatabaseTokenStore(fault_server.url, client_id, "platform.lending")
    old = a_token("old", age)
    keep(store, token=old)
    fault_server.on("POST /v1/oauth2/token", do.late(do.token("new"), 0.3))
    values = run_workers("tests.gateway.token_worker", 4, client_id, fault_server.url)
    assert (len(values), fault_server.hits()) == (64, 1)
    # Over: all wait for the new one. Ending: all but the one who renews go on with it.
    usable = {"new"} if old.expires_at < datetime.now(UTC) else {"old", "new"}
    assert set(values) == usable
    stored = store.load().token
    assert stored is not None and stored.value == "new"


def test_processes_share_a_refusal(client_id: str, fault_server: FaultServer) -> None:
    fault_server.on("POST /v1/oauth2/token", do.late(do.refusal(401), 0.3))
    values = run_workers("tests.gateway.token_worker", 2, client_id, fault_server.url)
    assert (set(values), len(values), fault_server.hits()) == ({"NotAccepted"}, 32, 1)


def test_a_token_from_a_clock_that_was_ahead_is_renewed_at_once(
    store: TokenStore, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/oauth2/token", do.token("ahead"), do.token("right"))
    clock = Clock()
    corrected = source_at(fault_server.url, clock=clock, store=store)
    other = source_at(fault_server.url, clock=Clock(), store=store)
    clock.forward(5 * 3600)
    assert corrected.get_token().value == "ahead"
    clock.forward(-5 * 3600)
    # Both the host that holds it in memory and one that finds it in the store.
    assert (other.get_token().value, corrected.get_token().value) == ("right", "right")
    assert fault_server.hits() == 2


def test_a_token_from_a_clock_that_was_ahead_is_dropped_when_it_is_refused(
    store: TokenStore, fault_server: FaultServer
) -> None:
    clock = Clock()
    issued_at = clock.now + timedelta(hours=5)
    keep(store, token=AccessToken("ahead", issued_at, issued_at + HOUR, ""))
    assert source_at(fault_server.url, clock=clock, store=store).drop("ahead")
    assert store.load().token is None


def test_a_refusal_from_a_clock_that_was_ahead_locks_nobody_out(
    store: TokenStore, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/oauth2/token", do.refusal(401), do.token("granted"))
    ahead = Clock()
    ahead.forward(5 * 3600)
    with pytest.raises(NotAccepted):
        source_at(fault_server.url, clock=ahead, store=store).get_token()
    assert source_at(fault_server.url, clock=Clock(), store=store).get_token().value == "granted"


def test_a_lease_from_a_clock_that_was_ahead_passes_on(
    store: TokenStore, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/oauth2/token", do.token("granted"))
    clock = Clock()
    # Its holder is gone, and had a clock that was five hours ahead.
    keep(store, leased_until=clock.now + timedelta(hours=5))
    source = source_at(fault_server.url, clock=clock, store=store)
    assert source.get_token().value == "granted"
