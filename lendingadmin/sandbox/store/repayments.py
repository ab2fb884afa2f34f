"""Repayments. They are recorded immediately, and posted to the account at their value date."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Loan, Repayment
from lendingadmin.sandbox.rules.accounts import Account, Payment, find_oldest_due, replay
from lendingadmin.sandbox.rules.events import check_past
from lendingadmin.sandbox.rules.invalid import RuleBroken
from lendingadmin.sandbox.rules.opening import read_arrears, read_lines
from lendingadmin.sandbox.rules.status import LoanStatus, find_loan_status
from lendingadmin.sandbox.schemas.answers import LoanOutcome
from lendingadmin.sandbox.store import loans
from lendingadmin.sandbox.store.encryption import encrypt
from lendingadmin.sandbox.store.writing import write


def record_repayment(app_id: str, key: str, sent: dict[str, Any], now: datetime) -> Loan:
    """Record a repayment and return its loan (Spec: Loans, MakeRepayment).

    Raise Invalid for a transaction in the future, NotFound if the loan does not exist, and
    RuleBroken if the loan is not open. The same externalId is accepted twice on purpose: a caller
    must not expect that the second repayment is refused.
    """
    check_past(sent["transactionDate"], now, "transactionDate")
    with write():
        loan = loans.get_loan(app_id, key)
        status = find_loan_status(loan.start_date, loan.settlement_date, now)
        if status is not LoanStatus.OPEN:
            raise RuleBroken(
                f"The loan is {status.name.lower()}; a repayment is accepted only on an open loan"
            )
        build_repayment(loan, sent, now).save(force_insert=True)
        _post(loan, now)
        return loan


def build_repayment(loan: Loan, sent: dict[str, Any], now: datetime) -> Repayment:
    """Return a repayment that is not saved. It is `posted` if its value date is not after `now`."""
    value_date = sent["valueDate"] or sent["transactionDate"]
    return Repayment(
        loan=loan,
        app_id=loan.app_id,
        amount=str(sent["amount"]),
        value_date=value_date,
        posted=value_date <= now,
        encrypted=encrypt(sent),
        created_at=now,
    )


def post_waiting(app_id: str, now: datetime) -> None:
    """Post the repayments whose value date is not after `now`.

    Every operation on loans does this first.
    """
    waiting = Repayment.objects.filter(app_id=app_id, posted=False, value_date__lte=now)
    if not waiting.exists():
        return
    with write():
        for loan in Loan.objects.filter(repayments__in=waiting).distinct():
            _post(loan, now)
        waiting.update(posted=True)


def _post(loan: Loan, now: datetime) -> None:
    """Compute the account from the contract and all effective repayments; save the account."""
    payments = [
        Payment(one.value_date, Decimal(one.amount))
        for one in loan.repayments.filter(value_date__lte=now).order_by("id")
    ]
    replay_repayments(loan, payments)
    loan.save(update_fields=["settlement_date", "oldest_due"])
    loan.record.save()


def replay_repayments(loan: Loan, payments: Sequence[Payment]) -> None:
    """Set the values of a loan, and of its record, that depend on these repayments.

    Nothing is saved.
    """
    contract = wire.read_own(loan.record.contract)
    arrears = read_arrears(contract)
    account = replay(read_lines(contract["installments"]), arrears, payments)
    loan.settlement_date = account.resolved_at
    loan.oldest_due = find_oldest_due(account.lines)
    loan.record.account = loans.write_account(account.lines, arrears, account.excess)
    extras = wire.read_own(loan.record.extras) | {"result": _find_outcome(account)}
    loan.record.extras = wire.write(extras).decode()


def _find_outcome(account: Account) -> LoanOutcome | None:
    """Return the outcome of a settled account, else None (Spec: LoanOutcome)."""
    if account.resolved_at is None:
        return None
    if account.excess > 0:
        message = f"{account.excess} more was paid than was owed; it is due back to the borrower."
        return LoanOutcome(type="settled", reason="overpaid", message=message)
    return LoanOutcome(type="settled", reason="paid_in_full", message=None)
