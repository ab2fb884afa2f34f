"""Loan accounts (Spec: Loan)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.contract import Installment, LendingContract
from lendingadmin.lending.values.fields import Number, One, Status, Text, Timestamp


class Balance(Value):
    """One part of what is owed, in money."""

    due: Number = None
    paid: Number = None
    total: Number = None
    unpaid: Number = None
    overdue: Number = None


class LoanBalances(Value):
    """What is owed, part by part; `repayment` is the whole (Spec: Loan, LoanBalances)."""

    fees: One[Balance] = None
    penalty: One[Balance] = None
    interest: One[Balance] = None
    principal: One[Balance] = None
    repayment: One[Balance] = None


class LoanSchedule(Value):
    """How late the loan is, in days, and what comes next (Spec: Loan, LoanSchedule)."""

    days_late: Number = None
    next_installment: One[Installment] = None


class LoanOutcome(Value):
    """How a closed loan ended (Spec: Loan, LoanOutcome)."""

    type: Text = None
    reason: Text = None
    message: Text = None


class Loan(Value):
    """A loan account of an app (Spec: Loan); fields of settings and labels are not shown there."""

    id_field: ClassVar[str | None] = "account_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    account_id: Text = None
    account_no: Number = None
    loan_type: Text = None
    borrower_id: Text = None
    lender_id: Text = None
    category: Text = None
    sequence_no: Number = None
    product_id: Text = None
    contract: One[LendingContract] = None
    loan_amount: Number = None
    balances: One[LoanBalances] = None
    start_date: Timestamp = None
    maturity_date: Timestamp = None
    schedule: One[LoanSchedule] = None
    settlement_date: Timestamp = None
    status: Status = None
    performance_status: Status = None
    result: One[LoanOutcome] = None
    assessment_id: Text = None
    app_version_id: Text = None
    request_id: Text = None
    settings: One[Record] = None
    labels: One[Record] = None
