"""A lending service with loans whose balances have all parts, and people with names."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.statements.desk import DeskService

ROLE = "officer"


class PaperService(DeskService):
    """The same with the parts of each total, and the end of a loan that is paid.

    `parts` of a loan are interest, fees and penalty; the rest of its total is principal. `odd`
    replaces groups of its balances. `overdue` is late, the penalty included.
    """

    def write(self, loan_id: str) -> dict[str, Any]:
        """A loan as the service writes it (spec: Loan)."""
        written = super().write(loan_id)
        parts = dict(
            zip(("interest", "fees", "penalty"), written.pop("parts", (0, 0, 0)), strict=True)
        )
        odd = written.pop("odd", {})
        overdue = Decimal(written.pop("overdue", 0))
        whole = written["balances"]["repayment"] | {"overdue": overdue}
        principal = whole["total"] - sum(map(Decimal, parts.values()))
        balances = {"repayment": whole}
        for name, amount in (parts | {"principal": principal}).items():
            share = Decimal(amount)
            paid = share if whole["unpaid"] == 0 else Decimal(0)
            late = min(share if name == "penalty" else Decimal(0), overdue)
            late = (
                overdue - min(Decimal(parts["penalty"]), overdue) if name == "principal" else late
            )
            shares = {"total": share, "paid": paid, "unpaid": share - paid, "overdue": late}
            balances[name] = whole | shares
        if whole["unpaid"] == 0:
            written |= {"status": 3, "settlementDate": "2026-11-02T08:00:00.000Z", "result": {}}
        return written | {"balances": balances | odd}


make_service = PaperService


def instalments(*amounts: int, first: str = "2026-10-01") -> dict[str, Any]:
    """A contract with instalments of these amounts, each a week after the one before."""
    begin = date.fromisoformat(first)
    return {
        "installments": [
            {
                "sequenceNo": number,
                "dueDate": f"{begin + timedelta(weeks=number)}T23:59:59.999Z",
                "amounts": {"repayment": amount},
            }
            for number, amount in enumerate(amounts, start=1)
        ]
    }


@pytest.fixture
def loan(service: PaperService) -> str:
    """The id of a loan of 1,200.00 of Anne Wanjiru, since 1 October."""
    service.people["B-1"] = ("ANNE WANJIRU", "+254700000001")
    fields = {"startDate": "2026-10-01T00:00:00.000Z", "parts": ("150", "50", "0")}
    service.add("L-1", total=Decimal(1_200), **fields)
    return "L-1"
