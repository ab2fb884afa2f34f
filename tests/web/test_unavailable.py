"""A database that is locked, full or gone is a 503 that says what became of a write."""

import sqlite3
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from lendingadmin.core.caching import shared
from lendingadmin.core.caching.backends import RedisCache
from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web import unavailable
from tests.faults.behaviours import forward, handled_then, refusal, reset
from tests.faults.server import Behaviour, FaultServer, Wire
from tests.sandbox.calling import Caller
from tests.web import acts
from tests.web.acts import Act, text_of
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"
NOTHING = "no"
SENDS = [acts.REGISTER, acts.CHANGE, acts.MAKE_LOAN, acts.DELETE_LOAN, acts.ASSESS]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can't be kept is given up soon."""
    monkeypatch.setattr(unavailable, "KEEP_WITHIN", 0.3)


@pytest.fixture(autouse=True)
def _shown(desk: Client) -> None:
    """A fault of the dashboard is a page, as in a browser, and not an exception."""
    desk.raise_request_exception = False


@pytest.fixture
def lock() -> Iterator[Callable[[], None]]:
    """Locks the database for everybody else; what waits for it gives up soon."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one lock for all writers")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    name = connection.settings_dict["NAME"]
    other = sqlite3.connect(name, isolation_level=None, check_same_thread=False)

    def take() -> None:
        other.execute("BEGIN IMMEDIATE")

    yield take
    other.close()
    connection.close()


def locked_first(behaviour: Behaviour, lock: Callable[[], None]) -> Behaviour:
    """The same, once the database is locked: the dashboard can't write down what comes of it."""

    def behave(wire: Wire) -> bool:
        lock()
        return behaviour(wire)

    return behave


def says(page: Any, saved: str) -> None:
    assert page.status_code == 503
    assert list_marks(page, "saved") == [saved]
    assert ("not-again" in list_marks(page, "finding")) == (saved == "unknown")


@pytest.mark.parametrize("act", SENDS, ids=str)
def test_locked_before_anything_was_sent_is_not_saved(
    act: Act, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    lock: Callable[[], None],
) -> None:  # fmt: skip
    url, form = act.prepare(desk, app, book)
    before = proxy.hits(act.match(book))
    lock()
    page = desk.post(url, form)
    says(page, NOTHING)
    assert unavailable.NOTHING_SENT in text_of(page)
    assert proxy.hits(act.match(book)) == before


@pytest.mark.parametrize("act", SENDS, ids=str)
@pytest.mark.parametrize(
    ("answer", "saved"),
    [
        (forward(), "yes"),
        (handled_then(reset()), "unknown"),
        (refusal(400, "no"), NOTHING),
    ],
    ids=["saved", "answer lost", "refused"],
)
def test_locked_while_it_was_sent_says_what_is_known(
    act: Act, answer: Behaviour, saved: str, desk: Client, app: LendingApp, book: Caller,
    proxy: FaultServer, lock: Callable[[], None],
) -> None:  # fmt: skip
    url, form = act.prepare(desk, app, book)
    proxy.once(act.match(book), locked_first(answer, lock))
    says(desk.post(url, form), saved)
    # Whoever follows up what a lost sender left finds it.
    assert Write.objects.get().state == WriteState.SENT


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_gone_is_a_503_in_whichever_layer(
    method: str, error: type[Exception], desk: Client
) -> None:
    def refuse(*_: object) -> object:
        raise error("connection refused")

    with connection.execute_wrapper(refuse):
        page = getattr(desk, method)("/apps/kenya/repayments/")
    assert page.status_code == 503
    assert list_marks(page, "saved") == ["no"] * (method == "post")


def test_a_fragment_is_a_card_that_htmx_puts_into_the_page(desk: Client) -> None:
    def refuse(*_: object) -> object:
        raise OperationalError("database is locked")

    with connection.execute_wrapper(refuse):
        page = desk.get("/apps/kenya/find/last", headers={"HX-Request": "true"})
    assert page.status_code == 200
    assert unavailable.NO_DATABASE in unescape(text_of(page))
    assert "<html" not in text_of(page)


def test_without_the_cache_a_page_says_what_it_knows(
    desk: Client, monkeypatch: pytest.MonkeyPatch, refused_address: str
) -> None:
    gone = RedisCache(f"redis://{urlsplit(refused_address).netloc}/0", {})
    monkeypatch.setattr(shared._connections._connections, shared._alias, gone)  # type: ignore[attr-defined]
    assert desk.get("/apps/kenya/borrowers/used-values").status_code == 200


def test_a_fault_of_our_own_stays_a_500(desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("lendingadmin.people.search.opened.filter_opened", broken)
    page = desk.get("/apps/kenya/find/last")
    assert page.status_code == 500 and "500.html" in [one.name for one in page.templates]
