"""A lending service whose borrowers and loans a test decides, sharing no code with the product."""

from decimal import Decimal
from typing import Any
from urllib.parse import unquote

import simplejson

from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer, Wire

_APP = "/v1/projects/demo/apps/kenya"


class CallService:
    """Serves `loans` and `borrowers` by id, and the loans as one page.

    `down` are the ids that it answers with 503.
    """

    def __init__(self, server: FaultServer) -> None:
        self.loans: dict[str, dict[str, Any]] = {}
        self.borrowers: dict[str, dict[str, Any]] = {}
        self.down: set[str] = set()
        server.on("POST /v1/oauth2/token", token())
        server.on(f"GET {_APP}/loans", self._list)
        server.on(f"GET {_APP}/loans/", self._get_loan)
        server.on(f"GET {_APP}/borrowers/", self._get_borrower)

    def add(
        self, number: int, days_late: int = 3, overdue: str = "500", **fields: Any
    ) -> tuple[str, str]:
        """A borrower with an open loan of 1,000 that is so late; their ids."""
        loan_id, borrower_id = f"L-{number}", fields.pop("borrowerId", f"B-{number}")
        amounts = {"due": overdue, "paid": "200", "total": "1000", "unpaid": "800"}
        self.loans[loan_id] = {
            "accountId": loan_id,
            "borrowerId": borrower_id,
            "status": 2,
            "startDate": "2026-01-01T00:00:00.000Z",
            "createdAt": "2026-01-01T00:00:00.000Z",
            "loanAmount": Decimal(1000),
            "schedule": {"daysLate": days_late, "nextInstallment": None},
            "balances": {
                "repayment": {name: Decimal(one) for name, one in amounts.items()}
                | {"overdue": Decimal(overdue)}
            },
            "settlementDate": None,
            "result": None,
            **fields,
        }
        self.borrowers.setdefault(
            borrower_id,
            {
                "borrowerId": borrower_id,
                "status": 1,
                "individual": {
                    "surname": f"KAMAU{number}",
                    "othernames": "ANN",
                    "phoneNumber": f"+2547000{number:05}",
                },
            },
        )
        return loan_id, borrower_id

    def pay(self, loan_id: str, amount: str) -> None:
        """Somebody paid so much on a loan, elsewhere than here."""
        balance = self.loans[loan_id]["balances"]["repayment"]
        balance["paid"] += Decimal(amount)
        balance["unpaid"] -= Decimal(amount)
        balance["overdue"] = max(balance["overdue"] - Decimal(amount), Decimal(0))

    def _list(self, wire: Wire) -> bool:
        return _say({"loans": list(self.loans.values()), "nextPageToken": None})(wire)

    def _get_loan(self, wire: Wire) -> bool:
        return self._get(self.loans, wire)

    def _get_borrower(self, wire: Wire) -> bool:
        return self._get(self.borrowers, wire)

    def _get(self, found: dict[str, dict[str, Any]], wire: Wire) -> bool:
        key = unquote(wire.request.path.rpartition("/")[2])
        if key in self.down:
            return refusal(503, "down for maintenance")(wire)
        return (_say(found[key]) if key in found else refusal(404, "not found"))(wire)


def _say(body: object) -> Any:
    return reply(simplejson.dumps(body, use_decimal=True).encode())
