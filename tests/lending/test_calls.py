"""Each of the 19 operations over a real socket: what goes out, and what is made of the answer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import simplejson

from lendingadmin.lending.client import LendingClient
from lendingadmin.lending.errors import Held, InvalidId, NotFound, Saved, ServiceFault, Unreadable
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.tokens import AccessToken
from lendingadmin.lending.values import Loan, Odd
from tests.faults.behaviours import empty, html, refusal, reply, reset_during
from tests.faults.server import FaultServer
from tests.lending import shapes

APP = "/v1/projects/demo/apps/kenya"
AT = datetime(2024, 5, 1, 7, 0, 0, 123456, tzinfo=UTC)
SUMMARY = {"creditLimit": Decimal("5000.00"), "products": [{"productId": "quick-30"}]}


class FixedToken:
    """A token that never changes."""

    def token(self) -> AccessToken:
        return AccessToken("secret-token", AT, datetime(2999, 1, 1, tzinfo=UTC), "platform.lending")

    def drop(self, refused: str) -> bool:
        return False


@pytest.fixture
def service() -> Iterator[FaultServer]:
    server = FaultServer(refusal(404, "No rule of this test matches"))
    yield server
    server.stop()


@pytest.fixture
def client(service: FaultServer) -> LendingClient:
    return LendingClient(service.url, "demo", FixedToken(), backoff=0.01)


def answer(shape: object) -> Any:
    return reply(simplejson.dumps(shape, use_decimal=True))


def page(key: str, *items: object, token: object = None) -> dict[str, object]:
    return {key: list(items), "nextPageToken": token}


@dataclass
class Case:
    """One operation as it is called, as it must arrive, and what must be made of the answer."""

    name: str
    call: Callable[[LendingClient], Any]
    path: str
    answer: object
    read: Callable[[Any], object]
    expected: object
    query: dict[str, str] | None = None
    body: object = None


EVERYTHING = {"order": "desc", "page_size": 5, "page_token": "t/+=&"}
CASES = [
    Case(
        "borrowers.list",
        lambda c: c.app("kenya").borrowers.list(
            filters={"category": "individual"}, page_size=2, page_token="a b"
        ),
        f"{APP}/borrowers",
        page("borrowers", shapes.BORROWER, "odd", token="next"),
        lambda p: (p.items[0].borrower_id, p.items[1], p.next_page_token),
        ("b-1", Odd("odd"), "next"),
        query={"filter": "category:individual", "pageSize": "2", "pageToken": "a b"},
    ),
    Case(
        "borrowers.create",
        lambda c: c.app("kenya").borrowers.create(shapes.BORROWER),
        f"{APP}/borrowers",
        shapes.BORROWER,
        lambda b: b.individual.surname,
        "WANJIRU",
        body=shapes.BORROWER,
    ),
    Case(
        "borrowers.get",
        lambda c: c.app("kenya").borrowers.get("b-1"),
        f"{APP}/borrowers/b-1",
        shapes.BORROWER,
        lambda b: b.borrower_no,
        Decimal(12),
    ),
    Case(
        "borrowers.patch",
        lambda c: c.app("kenya").borrowers.patch("b-1", {"devices": [], "settings": {"a": "b"}}),
        f"{APP}/borrowers/b-1",
        shapes.BORROWER,
        lambda b: b.borrower_id,
        "b-1",
        body={"devices": [], "settings": {"a": "b"}},
    ),
    Case(
        "borrowers.delete",
        lambda c: c.app("kenya").borrowers.delete("b-1"),
        f"{APP}/borrowers/b-1",
        {"deleted": True},
        lambda nothing: nothing,
        None,
    ),
    Case(
        "borrowers.getOffers",
        lambda c: c.app("kenya").borrowers.get_offers(
            "b-1", assessment_type="assessmentTypes/credit-score", timestamp=AT, request_id="r-1"
        ),
        f"{APP}/borrowers/b-1:getOffers",
        shapes.OFFER,
        lambda o: (o.done, o.result.response.credit_limit),
        (True, Decimal("5000.00")),
        body={
            "assessmentType": "assessmentTypes/credit-score",
            "timestamp": "2024-05-01T07:00:00.123Z",
            "requestId": "r-1",
        },
    ),
    Case(
        "borrowers.getOfferContracts",
        lambda c: c.app("kenya").borrowers.get_offer_contracts(
            "b-1", offer_summary=SUMMARY, amount=Decimal("100.10"), start_date=AT
        ),
        f"{APP}/borrowers/b-1:getOfferContracts",
        [shapes.CONTRACT, 7],
        lambda contracts: (contracts[0].raw, contracts[1]),
        (shapes.CONTRACT, Odd(7)),
        body={
            "offerSummary": SUMMARY,
            "amount": Decimal("100.10"),
            "startDate": "2024-05-01T07:00:00.123Z",
        },
    ),
    Case(
        "loans.list",
        lambda c: c.app("kenya").loans.list(
            filters={"status": "2", "borrowerId": "a:b&c"}, **EVERYTHING
        ),
        f"{APP}/loans",
        page("loans", shapes.LOAN),
        lambda p: (p.items[0].account_id, p.next_page_token),
        ("L-1", None),
        query={
            "filter": "status:2 borrowerId:a:b&c",
            "order": "desc",
            "pageSize": "5",
            "pageToken": "t/+=&",
        },
    ),
    Case(
        "loans.create",
        lambda c: c.app("kenya").loans.create(
            {"accountId": "L-1", "contract": Loan.model_validate(shapes.LOAN).contract}
        ),
        f"{APP}/loans",
        shapes.LOAN,
        lambda loan: loan.result.type,
        "paid",
        body={"accountId": "L-1", "contract": shapes.CONTRACT},
    ),
    Case(
        "loans.get",
        lambda c: c.app("kenya").loans.get("L-1"),
        f"{APP}/loans/L-1",
        shapes.LOAN,
        lambda loan: loan.raw,
        shapes.LOAN,
    ),
    Case(
        "loans.delete",
        lambda c: c.app("kenya").loans.delete("L-1"),
        f"{APP}/loans/L-1",
        None,
        lambda nothing: nothing,
        None,
    ),
    Case(
        "loans.makeRepayment",
        lambda c: c.app("kenya").loans.make_repayment(
            "L-1", {"externalId": "M-1", "amount": Decimal("50.50"), "transactionDate": AT}
        ),
        f"{APP}/loans/L-1:makeRepayment",
        shapes.LOAN,
        lambda loan: loan.balances.repayment.paid,
        Decimal("2.50"),
        body={
            "externalId": "M-1",
            "amount": Decimal("50.50"),
            "transactionDate": "2024-05-01T07:00:00.123Z",
        },
    ),
    Case(
        "assessments.list",
        lambda c: c.app("kenya").assessments.list(filters={"accountId": "borrower:b"}, page_size=1),
        f"{APP}/assessments",
        page("assessments", shapes.ASSESSMENT),
        lambda p: p.items[0].result.credit_score,
        Decimal(640),
        query={"filter": "accountId:borrower:b", "pageSize": "1"},
    ),
    Case(
        "assessments.create",
        lambda c: c.app("kenya").assessments.create(
            {"accountId": "borrower:b-1", "assessmentType": "assessmentTypes/x", "timestamp": AT}
        ),
        f"{APP}/assessments",
        {**shapes.ASSESSMENT, "result": None},
        lambda a: (a.assessment_id, a.result),
        ("a-1", None),
        body={
            "accountId": "borrower:b-1",
            "assessmentType": "assessmentTypes/x",
            "timestamp": "2024-05-01T07:00:00.123Z",
        },
    ),
    Case(
        "assessments.get",
        lambda c: c.app("kenya").assessments.get("a-1"),
        f"{APP}/assessments/a-1",
        shapes.ASSESSMENT,
        lambda a: a.status,
        Decimal(1),
    ),
    Case(
        "products.list",
        lambda c: c.products.list(page_size=1000, page_token="2"),
        "/v1/projects/demo/products",
        page("products", shapes.PRODUCT, token=3),
        lambda p: (p.items[0].terms.interest.base_rate, p.next_page_token),
        (Decimal("0.10"), "3"),
        query={"pageSize": "1000", "pageToken": "2"},
    ),
    Case(
        "events.list",
        lambda c: c.app("kenya").events.list(
            filters={"timestamp": "2024-05-01T00:00:00.000Z"}, **EVERYTHING
        ),
        f"{APP}/events",
        page("events", shapes.EVENT),
        lambda p: p.items[0].data[0].values[0].raw,
        shapes.EVENT["data"][0]["values"][0],
        query={
            "filter": "timestamp:2024-05-01T00:00:00.000Z",
            "order": "desc",
            "pageSize": "5",
            "pageToken": "t/+=&",
        },
    ),
    Case(
        "events.create",
        lambda c: c.app("kenya").events.create(shapes.EVENT),
        f"{APP}/events",
        shapes.EVENT,
        lambda e: e.category,
        "sms",
        body=shapes.EVENT,
    ),
    Case(
        "assessmentTypes.list",
        lambda c: c.assessment_types.list(page_size=3),
        "/v1/assessmentTypes",
        page("assessmentTypes", shapes.ASSESSMENT_TYPE),
        lambda p: p.items[0].settings.apps.channels,
        ("mobile",),
        query={"pageSize": "3"},
    ),
]
BY_NAME = {case.name: case for case in CASES}


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
        raise Held

    with pytest.raises(Held) as raised:
        loans.make_repayment("L-1", {"amount": 1}, before_send=too_late)
    assert raised.value.saved is Saved.NO
    assert service.hits() == 1


def test_a_page_says_when_it_was_read(service, client):
    service.on("GET", answer(page("loans")))
    before = datetime.now(UTC)

    read = client.app("kenya").loans.list()

    assert before <= read.read_at <= datetime.now(UTC)
    assert read.items == ()
    assert "?" not in service.last().path


ODD_IDS = ["borrower:7", "a/edit", "100%", "%2E%2E", "a?b#c", "two words", "Ünï 名", "...", "a;b=c"]
ENCODED = [
    "borrower%3A7",
    "a%2Fedit",
    "100%25",
    "%252E%252E",
    "a%3Fb%23c",
    "two%20words",
    "%C3%9Cn%C3%AF%20%E5%90%8D",
    "...",
    "a%3Bb%3Dc",
]


@pytest.mark.parametrize(("given", "encoded"), list(zip(ODD_IDS, ENCODED, strict=True)))
@pytest.mark.parametrize(("methods", "mark"), [("colon", ":"), ("slash", "/")])
def test_any_id_arrives_whole_in_both_forms_of_custom_operations(
    service, given, encoded, methods, mark
):
    service.default = answer(shapes.LOAN)
    loans = LendingClient(service.url, given, FixedToken(), custom_methods=methods).app(given).loans

    loans.get(given)
    loans.delete(given)
    loans.make_repayment(given, {"amount": 1})

    base = f"/v1/projects/{encoded}/apps/{encoded}/loans/{encoded}"
    assert [request.line for request in service.arrived] == [
        f"GET {base}",
        f"DELETE {base}",
        f"POST {base}{mark}makeRepayment",
    ]


@pytest.mark.parametrize("refused", ["", ".", "..", "a\nb", "\x00", "\ud800"])
def test_an_id_that_means_something_else_is_never_sent(service, client, refused):
    app = client.app("kenya")
    calls = [
        lambda: app.borrowers.get(refused),
        lambda: app.borrowers.delete(refused),
        lambda: app.loans.delete(refused),
        lambda: app.loans.make_repayment(refused, {"amount": 1}),
        lambda: client.app(refused),
        lambda: LendingClient(service.url, refused, FixedToken()),
    ]

    for call in calls:
        with pytest.raises(InvalidId):
            call()
    assert service.arrived == []


OBJECTS = [case for case in CASES if not case.name.endswith((".list", ".delete", "Contracts"))]
WRONG_FOR_OBJECT = ["[]", "null", '"done"', "7", "true", ""]


@pytest.mark.parametrize("case", OBJECTS, ids=[case.name for case in OBJECTS])
@pytest.mark.parametrize("body", WRONG_FOR_OBJECT)
def test_an_answer_that_is_no_object_is_unreadable(service, client, case, body):
    service.default = reply(body, headers={"X-Request-Id": "req-9"})

    with pytest.raises(Unreadable) as raised:
        case.call(client)

    operation = OPERATIONS[case.name]
    assert raised.value.operation == case.name
    assert raised.value.status == 200
    assert raised.value.request_id == "req-9"
    assert raised.value.saved == (Saved.NO if operation.is_read else Saved.UNKNOWN)


LISTS = [case for case in CASES if case.name.endswith(".list")]


@pytest.mark.parametrize("case", LISTS, ids=[case.name for case in LISTS])
@pytest.mark.parametrize(
    "shape",
    [
        lambda key: {},
        lambda key: {key: None},
        lambda key: {key: {}},
        lambda key: {key: "none"},
        lambda key: {key + "s": []},
        lambda key: [],
        lambda key: {key: [], "nextPageToken": {"page": 2}},
    ],
)
def test_a_list_without_its_collection_is_unreadable(service, client, case, shape):
    service.default = answer(shape(OPERATIONS[case.name].collection))

    with pytest.raises(Unreadable) as raised:
        case.call(client)

    assert raised.value.operation == case.name
    assert raised.value.saved is Saved.NO


@pytest.mark.parametrize("body", ['{"contracts": []}', "null", "", "7"])
def test_a_preview_that_is_no_array_is_unreadable_and_saved_nothing(service, client, body):
    service.default = reply(body)

    with pytest.raises(Unreadable) as raised:
        BY_NAME["borrowers.getOfferContracts"].call(client)

    assert raised.value.saved is Saved.NO


@pytest.mark.parametrize("name", ["borrowers.delete", "loans.delete"])
@pytest.mark.parametrize(
    "done", [empty(200), empty(204), reply("deleted"), reply("{}"), reply("null"), html()]
)
def test_a_delete_is_done_whatever_the_2xx_holds(service, client, name, done):
    service.default = done

    assert BY_NAME[name].call(client) is None


@pytest.mark.parametrize("name", ["borrowers.delete", "loans.delete"])
def test_a_delete_that_was_refused_or_broke_is_not_done(service, client, name):
    service.default = refusal(404)
    with pytest.raises(NotFound):
        BY_NAME[name].call(client)

    service.default = reset_during(500)
    with pytest.raises(ServiceFault) as raised:
        BY_NAME[name].call(client)
    assert raised.value.saved is Saved.UNKNOWN


def test_iterate_reads_page_after_page_and_only_when_reached(service, client):
    loans = [{**shapes.LOAN, "accountId": f"L-{number}"} for number in range(3)]
    service.on("GET", answer(page("loans", *loans[:2], token="p/2")))
    service.on("pageToken=p%2F2", answer(page("loans", loans[2])))

    walk = client.app("kenya").loans.iterate(filters={"status": "2"}, page_size=2)
    assert service.hits() == 0
    assert [next(walk).account_id, next(walk).account_id] == ["L-0", "L-1"]
    assert service.hits() == 1
    assert [loan.account_id for loan in walk] == ["L-2"]
    assert service.hits() == 2
    assert "filter=status%3A2" in service.last().path
    assert "pageSize=2" in service.last().path


@pytest.mark.parametrize(
    ("resource", "key"),
    [
        (lambda c: c.app("kenya").borrowers, "borrowers"),
        (lambda c: c.app("kenya").loans, "loans"),
        (lambda c: c.app("kenya").assessments, "assessments"),
        (lambda c: c.app("kenya").events, "events"),
        (lambda c: c.products, "products"),
        (lambda c: c.assessment_types, "assessmentTypes"),
    ],
)
def test_a_service_that_turns_in_a_circle_is_left(service, client, resource, key):
    service.default = answer(page(key, {}, token="again"))

    assert len(list(resource(client).iterate(page_size=1))) == 2
    assert len(list(resource(client).pages())) == 2
    assert service.hits() == 4


def test_an_error_in_the_middle_of_a_walk_is_raised_there(service, client):
    service.on("GET", answer(page("events", shapes.EVENT, token="2")))
    service.on("pageToken=2", refusal(404))

    walk = client.app("kenya").events.iterate()
    assert next(walk).event_id == "e-1"
    with pytest.raises(NotFound):
        next(walk)


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.borrowers.patch("b-1", {}),
        lambda app: app.borrowers.get_offers("b-1"),
        lambda app: app.borrowers.get_offers("b-1", timestamp=datetime(2024, 5, 1)),
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


def test_clients_show_neither_token_nor_address_in_a_log(client):
    assert repr(client) == "<LendingClient 'demo'>"
    assert repr(client.app("kenya")) == "<AppClient 'kenya'>"


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("loans.get", Saved.NO),
        ("borrowers.getOfferContracts", Saved.NO),
        ("borrowers.getOffers", Saved.UNKNOWN),
        ("loans.makeRepayment", Saved.UNKNOWN),
        ("loans.delete", Saved.UNKNOWN),
    ],
)
def test_after_a_fault_only_what_can_save_may_have_saved(service, client, name, saved):
    service.default = refusal(500)

    with pytest.raises(ServiceFault) as raised:
        BY_NAME[name].call(client)

    assert raised.value.saved is saved
