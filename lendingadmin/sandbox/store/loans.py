"""Functions that create, find, filter and delete loan accounts (Spec: Loan, Loans)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.db.models import Model, Q, QuerySet
from pydantic.alias_generators import to_snake

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Loan, LoanRecord
from lendingadmin.sandbox.rules.accounts import (
    KINDS,
    Arrears,
    Line,
    Position,
    find_oldest_due,
    find_position,
)
from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.ids import write_name
from lendingadmin.sandbox.rules.instants import from_millis, to_millis
from lendingadmin.sandbox.rules.invalid import AlreadyExists, NotFound, RuleBroken
from lendingadmin.sandbox.rules.lists import Clause
from lendingadmin.sandbox.rules.opening import Opening
from lendingadmin.sandbox.rules.status import (
    LoanStatus,
    Performance,
    build_due_window,
    find_loan_status,
    find_performance,
)
from lendingadmin.sandbox.schemas.answers import AnsweredLoan, AnsweredLoanSummary
from lendingadmin.sandbox.store.writing import write

FIRST_NUMBER = 10_000_000
APP_VERSION = "v1"
FILTER_FIELDS: dict[str, type] = {
    "accountId": str,
    "accountNo": int,
    "loanType": str,
    "borrowerId": str,
    "status": int,
    "appVersionId": str,
    "assessmentId": str,
    "performanceStatus": int,
}
_NONE = Q(pk__in=())

Row = TypeVar("Row", bound=Model)


def create(
    app_id: str, sent: dict[str, Any], opening: Opening, holder: dict[str, Any], now: datetime
) -> Loan:
    """Create a loan account. May raise AlreadyExists.

    `holder` has the borrower's category and the product's type.
    """
    with write():
        rows = Loan.objects.filter(app_id=app_id)
        if rows.filter(account_id=sent["accountId"]).exists():
            raise AlreadyExists(f"Loan {sent['accountId']} already exists")
        number = rows.filter(borrower_id=sent["borrowerId"]).count() + 1
        loan = build_loan(app_id, sent, opening, holder | {"sequenceNo": number}, uuid4(), now)
        loan.save(force_insert=True)
        loan.record.save(force_insert=True)
        return loan


def build_loan(
    app_id: str,
    sent: dict[str, Any],
    opening: Opening,
    holder: dict[str, Any],
    uid: UUID,
    now: datetime,
) -> Loan:
    """Return a loan account with its record, not saved yet.

    `holder` has the borrower's category, the product's type and the number of the borrower's loan.
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
        oldest_due=find_oldest_due(opening.lines),
        lender_id=sent["lenderId"],
        assessment_id=sent["assessmentId"],
        request_id=sent["requestId"] or "",
        app_version_id=APP_VERSION,
        created_at=now,
    )
    LoanRecord(
        loan=loan,
        contract=wire.write(opening.contract).decode(),
        account=write_account(opening.lines, opening.arrears, ZERO),
        extras=wire.write(
            {"settings": sent["settings"], "labels": sent["labels"], "result": None}
        ).decode(),
    )
    return loan


def get_loan(app_id: str, key: str) -> Loan:
    """Return the loan with this accountId, or else with this uid. May raise NotFound."""
    rows = Loan.objects.select_related("record").filter(app_id=app_id)
    loan = rows.filter(account_id=key).first() or find_by_uid(rows, key)
    if loan is None:
        raise NotFound(f"Loan {key}")
    return loan


def find_by_uid(rows: QuerySet[Row], key: str) -> Row | None:
    """Return the row with this uid, which must be written as in answers; None if there is none."""
    try:
        uid = UUID(key)
    except ValueError:
        return None
    return rows.filter(Q(uid=uid)).first() if str(uid) == key.lower() else None


def delete(app_id: str, key: str, now: datetime) -> None:
    """Remove a pending loan. May raise NotFound; raise RuleBroken for an open or closed loan."""
    with write():
        loan = get_loan(app_id, key)
        status = find_loan_status(loan.start_date, loan.settlement_date, now)
        if status is not LoanStatus.PENDING:
            raise RuleBroken(
                f"The loan is {status.name.lower()}; only a pending loan can be deleted"
            )
        loan.delete()


def build_conditions(clauses: Iterable[Clause], now: datetime) -> Q:
    """Return a condition for the loans that match all clauses of a filter at `now`."""
    found = Q()
    for field, value in clauses:
        match field:
            case "accountNo":
                found &= Q(pk=int(value) - FIRST_NUMBER)
            case "status":
                found &= _match_status(int(value), now)
            case "performanceStatus":
                found &= _match_performance(int(value), now)
            case _:
                found &= Q((to_snake(field), value))
    return found


def _match_status(value: int, now: datetime) -> Q:
    match value:
        case LoanStatus.PENDING:
            return Q(settlement_date=None, start_date__gt=now)
        case LoanStatus.OPEN:
            return Q(settlement_date=None, start_date__lte=now)
        case LoanStatus.CLOSED:
            return Q(settlement_date__isnull=False)
    return _NONE


def _match_performance(value: int, now: datetime) -> Q:
    if value not in list(Performance):
        return _NONE
    status = Performance(value)
    window = build_due_window(status, now.date())
    if status is Performance.PERFORMING:
        return Q(oldest_due=None) | Q(oldest_due__gte=window.since) | Q(start_date__gt=now)
    found = Q(start_date__lte=now, settlement_date=None)
    if window.since is not None:
        found &= Q(oldest_due__gte=window.since)
    return found & Q(oldest_due__lt=window.before)


def answer_loan(loan: Loan, now: datetime) -> AnsweredLoan:
    """Return the answer for a loan, with its state at `now`."""
    where = _read_position(loan, now)
    status = find_loan_status(loan.start_date, loan.settlement_date, now)
    late = where.days_late if status is LoanStatus.OPEN else 0
    return AnsweredLoan.read(
        loan,
        name=write_name(loan.app_id, "loans", loan.account_id),
        status=status,
        account_no=FIRST_NUMBER + loan.pk,
        contract=wire.Raw(loan.record.contract),
        balances=where.balances,
        schedule={"days_late": late, "next_installment": _build_installment(where.next_line)},
        performance_status=find_performance(late),
        **wire.read_own(loan.record.extras),
    )


def _build_installment(line: Line | None) -> dict[str, Any] | None:
    """Return the next instalment with its unpaid amounts; None if there is none."""
    if line is None:
        return None
    unpaid = [owed - paid for owed, paid in zip(line.owed, line.paid, strict=True)]
    return {
        "sequence_no": line.sequence_no,
        "start_date": line.start,
        "due_date": line.due,
        "amounts": {"repayment": sum(unpaid, ZERO), **dict(zip(KINDS, unpaid, strict=True))},
    }


def summarise_loans(
    app_id: str, borrower_ids: Sequence[str], now: datetime
) -> dict[str, list[AnsweredLoanSummary]]:
    """Return the summaries of the borrowers' loan accounts, by borrower id (Spec: LoanSummary)."""
    rows = Loan.objects.select_related("record").filter(app_id=app_id, borrower_id__in=borrower_ids)
    held = defaultdict(list)
    for loan in rows.order_by("created_at", "id"):
        where = _read_position(loan, now)
        repayment = where.balances["repayment"]
        summary = AnsweredLoanSummary.read(
            loan,
            loan_id=loan.account_id,
            principal_amount=loan.loan_amount,
            payable_amount=repayment["total"],
            paid_amount=repayment["paid"],
            end_date=loan.maturity_date,
            next_payment_date=where.oldest_due,
            completion_date=loan.settlement_date,
        )
        held[loan.borrower_id].append(summary)
    return held


def _read_position(loan: Loan, now: datetime) -> Position:
    """Return the state of a loan at `now`. The stored account includes all posted repayments."""
    (rate, grace, late_fee), _, rows = wire.read_own(loan.record.account)
    lines = [
        Line(number, from_millis(start), from_millis(due), owed, paid, charges)
        for number, start, due, owed, paid, charges in rows
    ]
    arrears = Arrears(Decimal(rate), timedelta(days=grace), Decimal(late_fee))
    return find_position(lines, arrears, now)


def write_account(lines: Iterable[Line], arrears: Arrears, excess: Decimal) -> str:
    """Return an account as text to store.

    The text has lists without names, so that a page of a thousand loans is fast.
    """
    document = [
        [arrears.rate, arrears.grace.days, arrears.late_fee],
        excess,
        [
            [
                line.sequence_no,
                to_millis(line.start),
                to_millis(line.due),
                line.owed,
                line.paid,
                line.charges,
            ]
            for line in lines
        ],
    ]
    return wire.write(document).decode()
