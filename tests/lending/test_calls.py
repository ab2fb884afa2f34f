"""Each operation over a real socket: what goes out, and what is made of the answer."""

from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest
import simplejson

from lendingadmin.lending.errors import NotSent, Saved
from lendingadmin.lending.operations import OPERATIONS
from tests.faults.behaviours import empty
from tests.lending import shapes
from tests.lending.cases import BY_NAME, CASES, answer, list_page


def test_every_operation_has_its_case():
    assert list(BY_NAME) == list(OPERATIONS)


@pytest.mark.parametrize("case", CASES, ids=BY_NAME)
def test_an_operation_goes_out_and_comes_back_as_the_spec_says(service, client, case):
    method = OPERATIONS[case.name].method
    service.on(f"{method} {case.path}", empty() if case.answer is None else answer(case.answer))

    result = case.call(client)

    (arrived,) = service.arrived
    parts = urlsplit(arrived.path)
    assert (arrived.method, parts.path) == (method, case.path)
    assert dict(parse_qsl(parts.query, strict_parsing=bool(parts.query))) == (case.query or {})
    assert arrived.headers["authorization"] == "Bearer secret-token"
    if case.body is None:
        assert arrived.body == b""
    else:
        assert arrived.headers["content-type"].split(";")[0] == "application/json"
        assert simplejson.loads(arrived.body, use_decimal=True) == case.body
    assert case.read(result) == case.expected


def test_money_goes_out_with_the_digits_that_were_given(service, client):
    service.on("POST", answer(shapes.LOAN))

    client.app("kenya").loans.make_repayment(
        "L-1", {"externalId": "M-1", "amount": Decimal("1234567890123456789.10")}
    )

    assert b"1234567890123456789.10" in service.last().body


def test_a_repayment_can_be_held_at_the_last_moment(service, client):
    service.default = answer(shapes.LOAN)
    loans, seen = client.app("kenya").loans, []

    loans.make_repayment("L-1", {"amount": 1}, before_send=lambda: seen.append(service.hits()))
    assert (seen, service.hits()) == ([0], 1)

    def too_late() -> None:
        raise NotSent

    with pytest.raises(NotSent) as raised:
        loans.make_repayment("L-1", {"amount": 1}, before_send=too_late)
    assert raised.value.saved is Saved.NO
    assert service.hits() == 1


def test_a_page_says_when_it_was_read(service, client):
    service.on("GET", answer(list_page("loans")))
    before = datetime.now(UTC)

    read = client.app("kenya").loans.list()

    assert before <= read.read_at <= datetime.now(UTC)
    assert read.items == ()
    assert "?" not in service.last().path


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.borrowers.patch("b-1", {}),
        lambda app: app.borrowers.get_offers("b-1"),
        lambda app: app.borrowers.get_offers("b-1", timestamp=datetime(2024, 5, 1)),
        lambda app: app.borrowers.get_offer_contracts("b-1", offer_summary={}),
        lambda app: app.loans.list(filters={"surname": "x"}),
        lambda app: app.events.list(page_size=0),
    ],
)
def test_what_cannot_be_asked_is_never_sent(service, client, call):
    with pytest.raises(ValueError, match=r"\w"):
        call(client.app("kenya"))
    assert service.arrived == []


def test_a_float_never_reaches_the_wire(service, client):
    with pytest.raises(TypeError):
        client.app("kenya").loans.make_repayment("L-1", {"amount": 0.1})
    assert service.arrived == []


def test_polling_an_offer_sends_the_request_id_alone(service, client):
    service.default = answer({**shapes.OFFER, "done": False, "result": None})

    offer = client.app("kenya").borrowers.get_offers("b-1", request_id="r-1")

    assert service.last().json() == {"requestId": "r-1"}
    assert (offer.done, offer.result) == (False, None)


def test_a_preview_is_of_an_amount_or_a_day_alone(service, client):
    service.default = answer([])
    preview = client.app("kenya").borrowers.get_offer_contracts

    preview("b-1", offer_summary={}, amount=5)
    preview("b-1", offer_summary={}, start_date="2026-12-01T00:00:00.000Z")

    assert [one.json() for one in service.arrived[-2:]] == [
        {"offerSummary": {}, "amount": 5},
        {"offerSummary": {}, "startDate": "2026-12-01T00:00:00.000Z"},
    ]


def test_clients_show_neither_token_nor_address_in_a_log(client):
    assert repr(client) == "<LendingClient 'demo'>"
    assert repr(client.app("kenya")) == "<AppClient 'kenya'>"
