"""A lending service whose loans have instalments that are due and overdue, and take repayments."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from lendingadmin.core import gateway
from tests.statements.desk import DeskService


class VisitService(DeskService):
    """The same with what is overdue of each loan, and what is due next in how many days."""

    def owe(
        self,
        number: int,
        overdue: str = "500",
        due: str | None = None,
        due_in: int = 0,
        **fields: Any,
    ) -> str:
        """A loan `L-007` of the borrower `B-007` of which so much is overdue or due; its id."""
        loan_id = f"L-{number:03}"
        owed = {"overdue": Decimal(overdue), "next": due and Decimal(due), "due_in": due_in}
        self.add(loan_id, **{"borrowerId": f"B-{number:03}", "startDate": "2026-01-01"} | fields)
        self.loans[loan_id] |= {"owed": owed}
        return loan_id

    def write(self, loan_id: str) -> dict[str, Any]:
        """A loan as the service writes it (spec: Loan)."""
        written = super().write(loan_id)
        owed = written.pop("owed", None)
        if owed is None:
            return written
        paid = self.loans[loan_id]["paid"]
        overdue = max(owed["overdue"] - paid, Decimal(0))
        balance = written["balances"]["repayment"] | {"overdue": overdue, "due": overdue}
        zone = gateway.lending_app("kenya").zone
        day = timezone.localdate(timezone=zone) + timedelta(days=owed["due_in"])
        coming = {
            "sequenceNo": 2,
            "dueDate": f"{day}T23:59:59.999Z",
            "amounts": {"repayment": owed["next"]},
        }
        return written | {
            "balances": {"repayment": balance, "principal": balance},
            "schedule": {
                "daysLate": 9 if overdue else 0,
                "nextInstallment": coming if owed["next"] else None,
            },
        }
