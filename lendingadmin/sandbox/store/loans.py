"""Loan accounts: opened, found, repaid, deleted, and answered (Spec: Loan, Loans)."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Loan, LoanRecord
from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.invalid import RuleBroken
from lendingadmin.sandbox.rules.ledger import KINDS, Line
from lendingadmin.sandbox.rules.opening import Opening
from lendingadmin.sandbox.rules.position import Position, oldest_unpaid, position
from lendingadmin.sandbox.rules.status import LoanStatus, loan_status, performance
from lendingadmin.sandbox.store import accounts

Document = dict[str, Any]
Summary = dict[str, Any]
FIRST_NUMBER = 10_000_000
APP_VERSION = "v1"


class LoanExists(Exception):
    """The app has a loan with that accountId."""


def create(app_id: str, sent: Document, opening: Opening, holder: Document, now: datetime) -> Loan:
    """A new loan account; raises LoanExists.

    `holder` gives the borrower's category and the product's type.
    """
    with transaction.atomic():
        rows = Loan.objects.filter(app_id=app_id)
        if rows.filter(account_id=sent["accountId"]).exists():
            raise LoanExists
        number = rows.filter(borrower_id=sent["borrowerId"]).count() + 1
        loan = new(app_id, sent, opening, holder | {"sequenceNo": number}, uuid4(), now)
        loan.save(force_insert=True)
        loan.record.save(force_insert=True)
        return loan


def new(
    app_id: str, sent: Document, opening: Opening, holder: Document, uid: UUID, now: datetime
) -> Loan:
    """A loan account with its record, neither of them saved yet.

    `holder` gives the borrower's category, the product's type and which of the borrower's loans
    this is.
    """
    loan = Loan(
        app_id=app_id,
        account_id=sent["accountId"],
        uid=uid,
        borrower_id=sent["borrowerId"],
        category=holder["category"],
        sequence_no=holder["sequenceNo"],
        product_id=sent["productId"],
        loan_type=holder["loanType"],
        loan_amount=str(opening.principal),
        start_date=sent["startDate"],
        maturity_date=sent["maturityDate"] or opening.maturity,
        oldest_due=oldest_unpaid(opening.lines),
        lender_id=sent["lenderId"],
        assessment_id=sent["assessmentId"],
        request_id=sent["requestId"] or "",
        app_version_id=APP_VERSION,
        created_at=now,
    )
    LoanRecord(
        loan=loan,
        contract=wire.write(opening.contract).decode(),
        account=accounts.write(accounts.Stored(opening.lines, opening.arrears, ZERO)),
        extras=wire.write(
            {"settings": sent["settings"], "labels": sent["labels"], "result": None}
        ).decode(),
    )
    return loan


def find(app_id: str, key: str) -> Loan | None:
    """The loan with that accountId, else with that uid, or None."""
    rows = Loan.objects.select_related("record").filter(app_id=app_id)
    return rows.filter(account_id=key).first() or _by_uid(rows, key)


def _by_uid(rows: Any, key: str) -> Loan | None:
    try:
        uid = UUID(key)
    except ValueError:
        return None
    return rows.filter(uid=uid).first() if str(uid) == key.lower() else None


def delete(app_id: str, key: str, now: datetime) -> bool:
    """Remove a pending loan; RuleBroken for an open or closed one; False when not there."""
    with transaction.atomic():
        loan = find(app_id, key)
        if loan is None:
            return False
        status = loan_status(loan.start_date, loan.settlement_date, now)
        if status is not LoanStatus.PENDING:
            raise RuleBroken(
                f"The loan is {status.name.lower()}; only a pending loan can be deleted"
            )
        loan.delete()
        return True


def document(project_id: str, loan: Loan, now: datetime) -> Document:
    """A loan as it is answered, as it stands at `now`."""
    where = _position(loan, now)
    status = loan_status(loan.start_date, loan.settlement_date, now)
    late = where.days_late if status is LoanStatus.OPEN else 0
    return {
        "uid": str(loan.uid),
        "name": f"projects/{project_id}/apps/{loan.app_id}/loans/{loan.account_id}",
        "status": int(status),
        "createdAt": loan.created_at,
        "accountId": loan.account_id,
        "accountNo": FIRST_NUMBER + loan.pk,
        "loanType": loan.loan_type,
        "borrowerId": loan.borrower_id,
        "lenderId": loan.lender_id,
        "category": loan.category,
        "sequenceNo": loan.sequence_no,
        "productId": loan.product_id,
        "contract": wire.Raw(loan.record.contract),
        "loanAmount": wire.Raw(loan.loan_amount),
        "balances": where.balances,
        "startDate": loan.start_date,
        "maturityDate": loan.maturity_date,
        "schedule": {"daysLate": late, "nextInstallment": _installment(where.next_line)},
        "settlementDate": loan.settlement_date,
        "performanceStatus": int(performance(late)),
        "assessmentId": loan.assessment_id,
        "appVersionId": loan.app_version_id,
        "requestId": loan.request_id,
        **wire.read_own(loan.record.extras),
    }


def summaries(app_id: str, borrower_ids: Sequence[str], now: datetime) -> dict[str, list[Summary]]:
    """The loan accounts of borrowers as a borrower's `loans` shows them (Spec: LoanSummary)."""
    rows = Loan.objects.select_related("record").filter(app_id=app_id, borrower_id__in=borrower_ids)
    held = defaultdict(list)
    for loan in rows.order_by("created_at", "id"):
        held[loan.borrower_id].append(_summary(loan, _position(loan, now)))
    return held


def _summary(loan: Loan, where: Position) -> Summary:
    repayment = where.balances["repayment"]
    return {
        "loanId": loan.account_id,
        "principalAmount": wire.Raw(loan.loan_amount),
        "payableAmount": repayment["total"],
        "paidAmount": repayment["paid"],
        "startDate": loan.start_date,
        "endDate": loan.maturity_date,
        "nextPaymentDate": where.oldest_due,
        "completionDate": loan.settlement_date,
        "assessmentId": loan.assessment_id,
    }


def _position(loan: Loan, now: datetime) -> Position:
    stored = accounts.read(loan.record.account)
    return position(stored.lines, stored.arrears, now)


def _installment(line: Line | None) -> Document | None:
    """An instalment that comes next, with what is still to be paid of it."""
    if line is None:
        return None
    unpaid = [owed - paid for owed, paid in zip(line.owed, line.paid, strict=True)]
    return {
        "sequenceNo": line.sequence_no,
        "startDate": line.start,
        "dueDate": line.due,
        "amounts": {"repayment": sum(unpaid, ZERO), **dict(zip(KINDS, unpaid, strict=True))},
    }
