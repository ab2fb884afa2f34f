"""A lending service with several loans, of which a test decides; it counts what it recorded."""

import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import simplejson

from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import Behaviour, FaultServer, Wire

APP = "/v1/projects/demo/apps/kenya/loans"


class DeskService:
    """Serves `loans` by id, and by borrower or number as filters of the list.

    `posted` holds loan, externalId and amount of each repayment; `answer` decides about each.
    """

    def __init__(self, server: FaultServer) -> None:
        self.server, self.lock = server, threading.Lock()
        self.loans: dict[str, dict[str, Any]] = {}
        # Name and phone of borrowers; others are not there.
        self.people: dict[str, tuple[str, str]] = {}
        self.posted: list[tuple[str, str, Decimal]] = []
        self.answer: Callable[[str, Callable[[], None]], Behaviour] = self.keep_word
        server.on("POST /v1/oauth2/token", token())
        server.on(f"GET {APP}", self._list)
        server.on(f"GET {APP}/", self._get)
        server.on("makeRepayment", self._record)
        server.on("GET /v1/projects/demo/apps/kenya/borrowers/", self._get_borrower)

    def add(self, loan_id: str, borrower_id: str = "B-1", **fields: Any) -> None:
        """A loan of which 100,000 are owed."""
        usual = {"status": 2, "accountNo": len(self.loans) + 7_000, "createdAt": "2026-01-01"}
        self.loans[loan_id] = {
            "accountId": loan_id,
            "borrowerId": borrower_id,
            "paid": Decimal(0),
            "total": Decimal(100_000),
            **usual,
            **fields,
        }

    def keep_word(self, loan_id: str, record: Callable[[], None]) -> Behaviour:
        """Record it and say so."""
        record()
        return reply(_json(self.write(loan_id)))

    def write(self, loan_id: str) -> dict[str, Any]:
        """A loan as the service writes it (spec: Loan)."""
        loan = self.loans[loan_id]
        with self.lock:
            paid, total = loan["paid"], loan["total"]
        balance = {"due": 0, "paid": paid, "total": total, "unpaid": total - paid, "overdue": 0}
        bare = {name: loan[name] for name in loan if name not in ("paid", "total")}
        return bare | {"balances": {"repayment": balance, "principal": balance}}

    def _get_borrower(self, wire: Wire) -> bool:
        borrower_id = unquote(wire.request.path.rpartition("/")[2])
        if borrower_id not in self.people:
            return refusal(404, "not found")(wire)
        name, phone = self.people[borrower_id]
        individual = {"surname": name, "phoneNumber": phone}
        fields = {"borrowerId": borrower_id, "category": "individual", "individual": individual}
        return reply(_json(fields))(wire)

    def _get(self, wire: Wire) -> bool:
        loan_id = unquote(wire.request.path.rpartition("/")[2])
        if loan_id not in self.loans:
            return refusal(404, "not found")(wire)
        return reply(_json(self.write(loan_id)))(wire)

    def _list(self, wire: Wire) -> bool:
        query = parse_qs(urlsplit(wire.request.path).query)
        found = [
            self.write(loan_id)
            for loan_id, loan in list(self.loans.items())
            if all(
                str(loan[name]) == query[name][0]
                for name in ("borrowerId", "accountNo")
                if name in query
            )
        ]
        return reply(_json({"loans": found, "nextPageToken": None}))(wire)

    def _record(self, wire: Wire) -> bool:
        body = simplejson.loads(wire.request.body, use_decimal=True)
        loan_id = unquote(wire.request.path.split("/loans/")[1].partition(":")[0].split("/")[0])

        def record() -> None:
            with self.lock:
                self.loans[loan_id]["paid"] += Decimal(body["amount"])
                self.posted.append((loan_id, body["externalId"], Decimal(body["amount"])))

        return self.answer(loan_id, record)(wire)


def _json(value: object) -> bytes:
    return simplejson.dumps(value, use_decimal=True).encode()
