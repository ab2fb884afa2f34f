"""A lending service of which a test decides what an offer and its contracts are."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import simplejson

from tests.faults.behaviours import echo, reply, token
from tests.faults.server import Behaviour, FaultServer, Wire

APP = "/v1/projects/demo/apps/kenya"
BORROWER = "/apps/kenya/borrowers/B-1"
TYPE = "assessmentTypes/credit-90-days"


def at(**ahead: float) -> str:
    """A timestamp that far ahead."""
    moment = datetime.now(UTC) + timedelta(**ahead)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def operation(request_id: str = "r-1", **fields: Any) -> dict[str, Any]:
    """An operation that still runs; `fields` replace what it has."""
    return {
        "name": "operations/o-1",
        "operationId": "o-1",
        "done": False,
        "metadata": {
            "status": "queued",
            "startTime": at(),
            "endTime": None,
            "expiryTime": at(hours=1),
            "projectId": "demo",
            "appId": "kenya",
            "accountId": "borrower:B-1",
            "requestId": request_id,
            "assessmentId": "as-1",
        },
        "result": None,
    } | fields


RESPONSE: dict[str, Any] = {
    "creditLimit": 5000,
    "products": [
        {"productId": "short", "terms": {"interest": {"riskPremiumRate": 0.03}}, "x-kept": 1},
        {"productId": "long", "terms": {"interest": {"riskPremiumRate": 0.06}}},
    ],
    "interestRateWaiver": 0.01,
    "validFrom": "2026-11-20T08:00:00.000Z",
}
DONE: dict[str, Any] = {"done": True, "result": {"error": None, "response": RESPONSE}}
PRODUCTS = [
    {
        "productId": "short",
        "productType": "payday",
        "status": 1,
        "displayName": "Short loan",
        "terms": {
            "period": "30 days",
            "repaymentInterval": "30 days",
            "interest": {"baseRate": 0.24, "riskPremiumRate": 0.06, "maxEffectiveRate": 0.6},
        },
        "charges": [{"kind": "fee", "displayName": "Handling fee", "value": 0.02}],
    },
    {"productId": "long", "displayName": "Long loan", "terms": {"period": "180 days"}},
]
TYPES = [
    {
        "assessmentTypeId": "credit-90-days",
        "name": TYPE,
        "displayName": "Credit, 90 days",
        "category": "credit",
        "period": "90 days",
        "status": 1,
        "settings": {
            "apps": {"channels": ["mobile"], "platforms": ["android"]},
            "accounts": {"categories": ["individual"], "accountTypes": ["borrower"]},
        },
    }
]
# Text, not a dict: the digits of a number are part of what must come back.
CONTRACT = """{"productId": "short", "versionNo": 3, "startDate": "2026-12-01T00:00:00.000Z",
 "maturityDate": "2026-12-31T23:59:59.999Z", "terms": {"period": "30 days", "fees": [],
 "penalty": {"rate": 0.10, "gracePeriod": "3 days", "calculationMethod": "overdue_principal"},
 "interest": {"maxAER": 0.9000, "baseRate": 0.240, "x-unknown": [1.10, {"deep": 1e2}]}},
 "amounts": {"requested": 1000.00, "disbursement": 980.00, "principal": 1000.00,
 "interest": 25.50, "repayment": 1025.50, "fees": 20, "penalty": 0},
 "interestRates": {"APR": 0.306000000000000000001, "AER": 0.35},
 "adjustments": [{"kind": "deducted_disbursement_fee", "displayName": "Handling fee",
 "action": "deduct", "target": "disbursement", "valueType": "absolute", "source": "principal",
 "value": 20.0}],
 "tranches": [{"sequenceNo": 1, "startDate": "2026-12-01T00:00:00.000Z",
 "dueDate": "2026-12-01T23:59:59.999Z", "amount": 980.00}],
 "installments": [{"sequenceNo": 1, "startDate": "2026-12-01T00:00:00.000Z",
 "dueDate": "2026-12-31T23:59:59.999Z", "amounts": {"repayment": 1025.50, "principal": 1000.00,
 "interest": 25.50, "fees": 0, "penalty": 0}}],
 "x-service": {"b": null, "a": [true, 12345678901234567890.123456789]}}"""


def contract(product_id: str, repayment: str, *parts: str, disbursement: str = "1000") -> str:
    """Another contract, of as many instalments as there are parts."""
    rows = [
        {
            "sequenceNo": number,
            "dueDate": f"2027-{number:02}-01T23:59:59.999Z",
            "amounts": {"repayment": simplejson.RawJSON(part), "principal": 1},
        }
        for number, part in enumerate(parts, start=1)
    ]
    amounts = {
        "disbursement": simplejson.RawJSON(disbursement),
        "repayment": simplejson.RawJSON(repayment),
    }
    return str(
        simplejson.dumps({"productId": product_id, "amounts": amounts, "installments": rows})
    )


class OfferService:
    """Serves tokens, assessment types, products, offers, previews and new loans of one borrower."""

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        self.operation: dict[str, Any] = operation()
        self.contracts = [CONTRACT, contract("long", "1060.00", "530.00", "530.00")]
        self.on_create: Behaviour | None = None
        self.seconds = 0.0  # that an offer's answer takes
        server.on("POST /v1/oauth2/token", token())
        self.answers("GET /v1/assessmentTypes", lambda: {"assessmentTypes": TYPES})
        self.answers("GET /v1/projects/demo/products", lambda: {"products": PRODUCTS})
        self.answers(
            f"GET {APP}/borrowers/B-1", lambda: {"borrowerId": "B-1", "category": "individual"}
        )
        server.on(":getOffers", self._offers)
        server.on(":getOfferContracts", self._contracts)
        server.on(f"POST {APP}/loans", self._create)

    def answers(self, match: str, body: Callable[[], object]) -> None:
        """Answer with what the function gives at that moment."""

        def behave(wire: Wire) -> bool:
            return reply(simplejson.dumps(body(), use_decimal=True))(wire)

        self.server.on(match, behave)

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of all getOffers that arrived."""
        return [one.json() for one in self.server.arrived if one.line.endswith(":getOffers")]

    @property
    def created(self) -> list[bytes]:
        """The bodies of all loans that were posted, byte by byte."""
        return [one.body for one in self.server.arrived if one.line == f"POST {APP}/loans"]

    def _offers(self, wire: Wire) -> bool:
        """The operation, as one to the request that asks where it is that of `r-1`."""
        wire.pause(self.seconds)
        body = dict(self.operation)
        metadata = body.get("metadata")
        if isinstance(metadata, dict) and metadata.get("requestId") == "r-1":
            body["metadata"] = metadata | {"requestId": wire.request.json().get("requestId", "r-1")}
        return reply(simplejson.dumps(body, use_decimal=True))(wire)

    def _contracts(self, wire: Wire) -> bool:
        return reply(f"[{','.join(self.contracts)}]")(wire)

    def _create(self, wire: Wire) -> bool:
        if self.on_create:
            return self.on_create(wire)
        return echo(status=1)(wire)


OFFER = f"{BORROWER}/offers/r-1/"
CONTRACTS = OFFER + "contracts"
ASKED = "?amount=1000.00&startDate=2026-12-01"


def hidden(page: Any, name: str) -> str:
    """A hidden field's value as the page offers it."""
    found = re.search(rf'name="{name}" value="([^"]+)"', page.content.decode())
    assert found, f"the page has no {name}"
    return found[1]


def exact(text: str | bytes) -> Any:
    """JSON with every number as its digits: 1.50 is not 1.5; how an exponent is spelled is one."""
    return simplejson.loads(text, parse_float=lambda digits: f"#{Decimal(digits)}", parse_int=str)
