"""Loan accounts (Spec: Loan)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.contract import Installment, LendingContract
from lendingadmin.lending.values.fields import Number, One, Status, Text, Timestamp


class Balance(Value):
    """One part of what is owed, in money."""

    due: Number
    paid: Number
    total: Number
    unpaid: Number
    overdue: Number


class LoanBalances(Value):
    """What is owed, part by part; `repayment` is the whole (Spec: Loan, LoanBalances)."""

    fees: One[Balance]
    penalty: One[Balance]
    interest: One[Balance]
    principal: One[Balance]
    repayment: One[Balance]


class LoanSchedule(Value):
    """How late the loan is, in days, and what comes next (Spec: Loan, LoanSchedule)."""

    days_late: Number
    next_installment: One[Installment]


class LoanOutcome(Value):
    """How a closed loan ended (Spec: Loan, LoanOutcome)."""

    type: Text
    reason: Text
    message: Text


class Loan(Value):
    """A loan account of an app (Spec: Loan); fields of settings and labels are not shown there."""

    id_field: ClassVar[str | None] = "account_id"

    uid: Text
    name: Text
    created_at: Timestamp
    account_id: Text
    account_no: Number
    loan_type: Text
    borrower_id: Text
    lender_id: Text
    category: Text
    sequence_no: Number
    product_id: Text
    contract: One[LendingContract]
    loan_amount: Number
    balances: One[LoanBalances]
    start_date: Timestamp
    maturity_date: Timestamp
    schedule: One[LoanSchedule]
    settlement_date: Timestamp
    status: Status
    performance_status: Status
    result: One[LoanOutcome]
    assessment_id: Text
    app_version_id: Text
    request_id: Text
    settings: One[Record]
    labels: One[Record]
