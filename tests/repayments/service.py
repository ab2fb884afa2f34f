"""A lending service with one loan, of which a test decides how it keeps its word.

Independent of the sandbox and of the client: it counts what it was really asked to record.
"""

import json
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import simplejson

from tests.faults.behaviours import reply, token
from tests.faults.server import Behaviour, FaultServer, Wire

OWED = Decimal("10000.00")


class LoanService:
    """Serves tokens and loan `L-1`; `posted` holds the body of every repayment it has recorded.

    `answer` decides about each makeRepayment: it gets a function that records the repayment, and
    gives the behaviour towards the client. `loan_answer`, where it is given, is how it answers who
    asks for the loan.
    """

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        self.paid = Decimal("1000.00")
        self.account_id: object = "L-1"
        # Whether it has a loan of every id instead, all with the same balances.
        self.has_every_loan = False
        self.loan_answer: Behaviour | None = None
        self.posted: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.answer: Callable[[Callable[[], None]], Behaviour] = self.keep_word
        server.on("POST /v1/oauth2/token", token())
        server.on("GET /v1/projects/demo/apps/kenya/loans/", self._get)
        server.on("makeRepayment", self._make_repayment)

    @property
    def loan(self) -> dict[str, Any]:
        with self.lock:
            paid = self.paid
        balance = {"due": 5000, "paid": paid, "total": OWED, "unpaid": OWED - paid, "overdue": 0}
        return {
            "accountId": self.account_id,
            "uid": "7f3a9c",
            "borrowerId": "B-1",
            "status": 2,
            "loanAmount": OWED,
            "balances": {"repayment": balance, "principal": balance},
        }

    @property
    def asked(self) -> int:
        """How many makeRepayment requests arrived, whatever became of them."""
        return self.server.hits("makeRepayment")

    def keep_word(self, record: Callable[[], None]) -> Behaviour:
        """Record it and say so."""
        record()
        return reply(_json(self.loan), headers={"X-Request-Id": f"req-{len(self.posted)}"})

    def someone_else_pays(self, amount: str) -> None:
        """Another system posts a payment to the same loan."""
        with self.lock:
            self.paid += Decimal(amount)

    def _get(self, wire: Wire) -> bool:
        if self.loan_answer:
            return self.loan_answer(wire)
        named = {"accountId": wire.request.path.rpartition("/")[2]}
        return reply(_json(self.loan | (named if self.has_every_loan else {})))(wire)

    def _make_repayment(self, wire: Wire) -> bool:
        body = json.loads(wire.request.body, parse_float=Decimal)

        def record() -> None:
            with self.lock:
                self.paid += Decimal(body["amount"])
                self.posted.append(body)

        return self.answer(record)(wire)


def commit_then(behaviour: Behaviour) -> Callable[[Callable[[], None]], Behaviour]:
    """Record it, and let the client see something else."""

    def answer(record: Callable[[], None]) -> Behaviour:
        record()
        return behaviour

    return answer


def without_committing(behaviour: Behaviour) -> Callable[[Callable[[], None]], Behaviour]:
    """Record nothing, and let the client see this."""
    return lambda record: behaviour


def _json(value: object) -> bytes:
    return simplejson.dumps(value, use_decimal=True).encode()
