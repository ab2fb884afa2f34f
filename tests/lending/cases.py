"""The operations, each as it is called, as it must arrive, and as its answer must read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import simplejson

from lendingadmin.lending.client import LendingClient
from lendingadmin.lending.tokens import AccessToken
from lendingadmin.lending.values import Loan, Malformed
from tests.faults.behaviours import reply
from tests.lending import shapes

APP = "/v1/projects/demo/apps/kenya"
AT = datetime(2024, 5, 1, 7, 0, 0, 123456, tzinfo=UTC)
SUMMARY = {"creditLimit": Decimal("5000.00"), "products": [{"productId": "quick-30"}]}


class FixedToken:
    """A token that never changes."""

    def get_token(self) -> AccessToken:
        return AccessToken("secret-token", AT, datetime(2999, 1, 1, tzinfo=UTC), "platform.lending")

    def drop(self, refused: str) -> bool:
        return False


def answer(shape: object) -> Any:
    return reply(simplejson.dumps(shape, use_decimal=True))


def list_page(key: str, *items: object, token: object = None) -> dict[str, object]:
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
        list_page("borrowers", shapes.BORROWER, "odd", token="next"),
        lambda p: (p.items[0].borrower_id, p.items[1], p.next_page_token),
        ("b-1", Malformed("odd"), "next"),
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
        {**shapes.BORROWER, "devices": [], "settings": {"a": "b"}},
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
        (shapes.CONTRACT, Malformed(7)),
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
        list_page("loans", shapes.LOAN),
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
            {"accountId": "L-1", "contract": Loan(shapes.LOAN).contract}
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
        list_page("assessments", shapes.ASSESSMENT),
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
        {
            **shapes.ASSESSMENT,
            "assessmentType": "assessmentTypes/x",
            "timestamp": "2024-05-01T07:00:00.123Z",
            "result": None,
        },
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
        list_page("products", shapes.PRODUCT, token=3),
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
        list_page("events", shapes.EVENT),
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
        list_page("assessmentTypes", shapes.ASSESSMENT_TYPE),
        lambda p: p.items[0].settings.apps.channels,
        ("mobile",),
        query={"pageSize": "3"},
    ),
]
BY_NAME = {case.name: case for case in CASES}
