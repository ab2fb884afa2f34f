"""A lending service whose list of loans a test decides. It shares no code with the product."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import simplejson

from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer, Wire

LIST = "GET /v1/projects/demo/apps/kenya/loans?"


class BookService:
    """Serves `loans` in pages of `size`, whatever size was asked for; the token is a place.

    `before` is called with the place of each page that is asked for, and may change the list.
    """

    def __init__(self, server: FaultServer, loans: list[Any], size: int = 2) -> None:
        self.server, self.loans, self.size = server, loans, size
        self.before: Callable[[int], None] = lambda place: None
        self.tokens_hold = True
        server.on("POST /v1/oauth2/token", token())
        server.on(LIST, self._list)

    @property
    def pages(self) -> int:
        """How many pages were asked for."""
        return self.server.hits(LIST)

    @property
    def places(self) -> list[str]:
        """The tokens of the pages that were asked for, "" for the first."""
        queries = [urlsplit(one.path).query for one in self.server.arrived if LIST in one.line]
        return [parse_qs(query).get("pageToken", [""])[0] for query in queries]

    def _list(self, wire: Wire) -> bool:
        query = parse_qs(urlsplit(wire.request.path).query)
        place = int(query.get("pageToken", ["0"])[0])
        if place and not self.tokens_hold:
            return refusal(400, "Invalid page token")(wire)
        self.before(place)
        end = place + self.size
        body = {
            "loans": self.loans[place:end],
            "nextPageToken": str(end) if end < len(self.loans) else None,
        }
        return reply(simplejson.dumps(body, use_decimal=True).encode())(wire)


def loan(number: int, **fields: Any) -> dict[str, Any]:
    """A loan of 100.00 of which 40.00 are paid, 50.00 of principal are owed and 5.00 overdue."""
    balance = {
        "due": Decimal("45.00"),
        "paid": Decimal("40.00"),
        "total": Decimal("100.00"),
        "unpaid": Decimal("60.00"),
        "overdue": Decimal("5.00"),
    }
    usual = {
        "accountId": f"L-{number:03}",
        "borrowerId": "B-1",
        "status": 2,
        "performanceStatus": 1,
        "loanAmount": Decimal("90.00"),
        "startDate": "2026-06-01T00:00:00.000Z",
        "createdAt": "2026-06-01T08:00:00.000Z",
        "schedule": {"daysLate": 12, "nextInstallment": None},
        "balances": {"repayment": balance, "principal": balance | {"unpaid": Decimal("50.00")}},
    }
    return usual | fields


def paid(number: int, amount: str) -> dict[str, Any]:
    """The same with so much paid."""
    one = loan(number)
    one["balances"]["repayment"] = one["balances"]["repayment"] | {"paid": Decimal(amount)}
    return one
