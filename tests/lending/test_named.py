"""Whose record an answer is: another one is refused, and a write is believed only by its record."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
import simplejson

from lendingadmin.lending import identity
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import (
    LendingError,
    Saved,
    Unconfirmed,
    UnidentifiedRecord,
    Unreadable,
    WrongRecord,
)
from lendingadmin.lending.values import Loan
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending import shapes
from tests.lending.rig import client_to

NEW = {"borrowerId": "b-1", "individual": {"surname": "Wanjiru"}, "devices": []}
CONTRACT = {"productId": "quick-30", "amounts": {"principal": Decimal("100.10")}}
LOAN = {"accountId": "L-1", "borrowerId": "b-1", "contract": CONTRACT, "balances": {}}
ASKED = {
    "accountId": "borrower:b-1",
    "assessmentType": "assessmentTypes/x",
    "timestamp": "2024-05-01T07:00:00.000Z",
}
EVENT = {
    "accountId": "borrower:b-1",
    "eventType": "personal_data.captured",
    "timestamp": "2024-05-01T07:00:00.000Z",
    "data": [],
}
METADATA = {"accountId": "borrower:b-1", "requestId": "r-1", "appId": "kenya"}
STARTED = {"operationId": "o-1", "done": False, "metadata": METADATA}


class Write(NamedTuple):
    """A write, the answer that confirms it, and the keys by which that says whose it is."""

    name: str
    call: Callable[[AppClient], Any]
    good: dict[str, Any]
    own: tuple[str, ...]
    held: tuple[str, ...] = ()


WRITES = [
    Write(
        "borrowers.create",
        lambda app: app.borrowers.create(NEW),
        NEW | {"individual": {"surname": "WANJIRU"}, "uid": "u"},
        ("borrowerId",),
        ("individual",),
    ),
    Write(
        "borrowers.patch",
        lambda app: app.borrowers.patch("b-1", {"settings": {"timezone": "Africa/Nairobi"}}),
        NEW | {"settings": {"timezone": "Africa/Nairobi", "more": "1"}},
        ("borrowerId",),
        ("settings",),
    ),
    Write(
        "borrowers.getOffers",
        lambda app: app.borrowers.get_offers("b-1", assessment_type="x", request_id="r-1"),
        STARTED,
        ("metadata",),
    ),
    Write(
        "loans.create",
        lambda app: app.loans.create(LOAN),
        LOAN | {"balances": {"principal": {"due": 1}}},
        ("accountId",),
        ("borrowerId", "contract"),
    ),
    Write(
        "loans.makeRepayment",
        lambda app: app.loans.make_repayment("L-1", {"externalId": "R-1"}),
        LOAN,
        ("accountId",),
    ),
    Write(
        "assessments.create",
        lambda app: app.assessments.create(ASKED),
        ASKED | {"assessmentId": "a-1", "result": None, "timestamp": "2024-05-01T10:00:00+03:00"},
        ("assessmentId",),
        ("accountId", "assessmentType", "timestamp"),
    ),
    Write(
        "events.create",
        lambda app: app.events.create(EVENT),
        EVENT | {"eventId": "e-1"},
        ("eventId",),
        ("accountId", "eventType", "timestamp"),
    ),
]
by_write = pytest.mark.parametrize("write", WRITES, ids=lambda write: write.name)


@pytest.fixture
def app(fault_server: FaultServer) -> AppClient:
    return client_to(fault_server.url).app("kenya")


def say(server: FaultServer, body: object) -> None:
    server.default = do.reply(simplejson.dumps(body, use_decimal=True))


def error_of(call: Callable[[], object]) -> LendingError:
    with pytest.raises(LendingError) as caught:
        call()
    return caught.value


# --- writes --------------------------------------------------------------------------------------


@by_write
def test_the_record_that_was_meant_is_saved(
    write: Write, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, write.good)
    assert write.call(app).raw.keys() == write.good.keys()


@by_write
@pytest.mark.parametrize("status", [200, 201, 202])
@pytest.mark.parametrize(
    "body", [{}, {"message": "queued"}, {"error_description": "Duplicate national id"}]
)
def test_any_other_object_is_unknown(
    write: Write, body: Any, status: int, app: AppClient, fault_server: FaultServer
) -> None:
    fault_server.default = do.reply(body, status)
    error = error_of(lambda: write.call(app))
    assert (type(error), error.saved, error.status) == (Unconfirmed, Saved.UNKNOWN, status)
    assert error.error_description == body.get("error_description")
    assert fault_server.hits() == 1


@by_write
def test_the_right_record_with_words_of_an_error_is_unknown(
    write: Write, app: AppClient, fault_server: FaultServer
) -> None:
    refusal = {"error_description": "Duplicate national id"}
    say(fault_server, write.good | refusal)
    error = error_of(lambda: write.call(app))
    assert (type(error), error.saved) == (Unconfirmed, Saved.UNKNOWN)
    assert error.error_description == refusal["error_description"]
    assert "national" not in str(error)


@by_write
def test_the_right_record_with_no_words_in_it_is_saved(
    write: Write, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, write.good | {"error_description": None})
    write.call(app)


@by_write
@pytest.mark.parametrize("instead", [None, 7, {"a": 1}])
def test_a_record_that_does_not_say_which_it_is_is_unknown(
    write: Write, instead: Any, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, write.good | dict.fromkeys((*write.own, "uid"), instead))
    error = error_of(lambda: write.call(app))
    assert (type(error), error.saved) == (Unconfirmed, Saved.UNKNOWN)


# The service itself gives the others their ids: whose they are is among what they hold.
@pytest.mark.parametrize("write", WRITES[:5], ids=lambda write: write.name)
def test_another_record_is_unknown(write: Write, app: AppClient, fault_server: FaultServer) -> None:
    other: Any = {"accountId": "borrower:b-2"} if write.own == ("metadata",) else "STRANGER"
    say(fault_server, write.good | {"uid": "u-2", write.own[0]: other})
    error = error_of(lambda: write.call(app))
    assert (type(error), error.saved) == (WrongRecord, Saved.UNKNOWN)


@by_write
def test_a_record_that_does_not_hold_what_was_sent_is_unknown(
    write: Write, app: AppClient, fault_server: FaultServer
) -> None:
    for key in write.held:
        for instead in (None, "STRANGER"):
            say(fault_server, write.good | {key: instead})
            error = error_of(lambda: write.call(app))
            assert (type(error), error.saved) == (Unconfirmed, Saved.UNKNOWN)
            assert key in error.message and "STRANGER" not in error.message


@pytest.mark.parametrize("resource", ["borrowers", "loans"])
def test_a_delete_that_comes_with_words_of_an_error_is_unknown(
    resource: str, app: AppClient, fault_server: FaultServer
) -> None:
    refusal = {"error_description": "Has open loans"}
    say(fault_server, refusal)
    error = error_of(lambda: getattr(app, resource).delete("x-1"))
    assert (type(error), error.saved) == (Unconfirmed, Saved.UNKNOWN)
    assert error.error_description == refusal["error_description"]


# --- reads ---------------------------------------------------------------------------------------

READS = [
    pytest.param(lambda app: app.borrowers.get("X"), "borrowerId", id="borrower"),
    pytest.param(lambda app: app.loans.get("X"), "accountId", id="loan"),
    pytest.param(lambda app: app.assessments.get("X"), "assessmentId", id="assessment"),
]
by_read = pytest.mark.parametrize(("read", "key"), READS)


@by_read
@pytest.mark.parametrize("uid", [{}, {"uid": "u-2"}, {"uid": None}, {"uid": 7}])
def test_another_record_is_refused(
    read: Callable[[AppClient], Any], key: str, uid: Any, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, {key: "STRANGER"} | uid)
    error = error_of(lambda: read(app))
    assert (type(error), error.saved, error.status) == (WrongRecord, Saved.NO, 200)
    assert "STRANGER" not in str(error)


@by_read
@pytest.mark.parametrize("own", [{}, {"uid": "u-2"}])
def test_the_record_itself_is_named(
    read: Callable[[AppClient], Any], key: str, own: Any, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, {key: "X"} | own)
    assert identity.is_named(read(app), "X")
    say(fault_server, {key: "of its own", "uid": "X"})
    assert identity.is_named(read(app), "X")


@by_read
@pytest.mark.parametrize("own", [{}, {"own": None}, {"own": 7}, {"own": ""}, {"uid": "u-2"}])
def test_a_record_that_does_not_say_which_it_is_comes_and_nothing_is_entered_from_it(
    read: Callable[[AppClient], Any], key: str, own: Any, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, {"status": 1} | {key if k == "own" else k: v for k, v in own.items()})
    for _ in range(2):
        found = read(app)
        assert not identity.is_named(found, "X") and found.status == 1
        assert error_of(lambda: identity.check_named(found, "X")).saved == Saved.NO  # noqa: B023


def test_a_stranger_of_a_kept_connection_gives_way_to_the_record(
    app: AppClient, fault_server: FaultServer
) -> None:
    """Each may be the answer to an earlier request: it is asked again on another connection."""
    for stranger in ({"accountId": "STRANGER"}, {"borrowerId": "STRANGER"}, {}):
        fault_server.on("GET", do.reply({"accountId": "L-1"}), do.reply(stranger))
        app.loans.get("L-1")
        fault_server.on("GET", do.reply(stranger), do.reply({"accountId": "L-1"}))
        before = fault_server.connections()
        assert app.loans.get("L-1").account_id == "L-1"
        assert fault_server.connections() == before + 1


def test_a_call_for_another_record_is_told_without_what_came(fault_server: FaultServer) -> None:
    calls: list[Any] = []
    say(fault_server, {"accountId": "STRANGER"})
    app = client_to(fault_server.url, on_call=calls.append).app("kenya")
    error_of(lambda: app.loans.get("L-1"))
    assert (calls[0].error, calls[0].answer) == ("WrongRecord", None)
    assert calls[0].faults == ("out of step",) * 3


OFFERS = [
    ({}, UnidentifiedRecord),
    ({"metadata": None}, UnidentifiedRecord),
    ({"metadata": {"requestId": "r-1"}}, UnidentifiedRecord),
    ({"metadata": {"accountId": 7, "requestId": "r-1"}}, UnidentifiedRecord),
    ({"metadata": METADATA}, None),
    ({"metadata": METADATA | {"accountId": "b-1", "appId": None}}, None),
    ({"metadata": METADATA | {"requestId": "r-2"}}, WrongRecord),
    ({"metadata": METADATA | {"accountId": "borrower:b-2"}}, WrongRecord),
    ({"metadata": METADATA | {"accountId": "agent:b-1"}}, WrongRecord),
    ({"metadata": METADATA | {"appId": "ghana"}}, WrongRecord),
]


@pytest.mark.parametrize(("body", "error"), OFFERS)
def test_an_offer_that_is_read_says_whose_it_is(
    body: Any, error: type[LendingError] | None, app: AppClient, fault_server: FaultServer
) -> None:
    say(fault_server, body)
    if error is WrongRecord:
        assert type(error_of(lambda: app.borrowers.get_offers("b-1", request_id="r-1"))) is error
        return
    found = app.borrowers.get_offers("b-1", request_id="r-1")
    assert identity.offer_is_named(found, "b-1", "r-1") == (error is None)


def test_words_about_a_record_are_no_record(app: AppClient, fault_server: FaultServer) -> None:
    say(fault_server, [shapes.LOAN])
    assert isinstance(error_of(lambda: app.loans.get("L-1")), Unreadable)


def test_what_is_entered_from_a_record_needs_its_name() -> None:
    loan = Loan({"accountId": "L-1", "uid": "u-1"})
    assert identity.check_named(loan, "L-1") is identity.check_named(loan, "u-1") is loan
    assert identity.names_another(loan, "L-2") and not identity.names_another(Loan({}), "L-2")
    with pytest.raises(UnidentifiedRecord):
        identity.check_named(Loan({"accountId": ["L-1"]}), "L-1")
