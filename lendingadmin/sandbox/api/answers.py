"""What is answered, as the OpenAPI document describes it (Spec: Resources and their fields).

Answers are written from documents, not through these: schemathesis holds the two together.
"""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StrictBool, StrictStr, WithJsonSchema
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.api.contracts import LendingContract

_MOMENT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"

Num = Annotated[Decimal, WithJsonSchema({"type": "number"})]
Moment = Annotated[
    str, WithJsonSchema({"type": "string", "format": "date-time", "pattern": _MOMENT})
]
Day = Annotated[str, WithJsonSchema({"type": "string", "format": "date"})]
Uid = Annotated[str, WithJsonSchema({"type": "string", "format": "uuid"})]
Duration = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^\d+ days$"})]
Token = Annotated[str | None, WithJsonSchema({"type": ["string", "null"]})]
Whole = Annotated[int, WithJsonSchema({"type": "integer"})]
Category = Literal["individual", "company"]
Free = dict[str, Any]


class Told(BaseModel):
    """An object of an answer: every field is there, and no other."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")


class Stored(Told):
    """Spec: Conventions, what every stored resource carries."""

    uid: Uid
    name: str
    status: Whole
    created_at: Moment


class Error(Told):
    """Spec: Errors. `error` is this service's own, for programs."""

    model_config = ConfigDict(alias_generator=None)

    error: str
    error_description: Annotated[str, WithJsonSchema({"type": "string", "minLength": 1})]


class AccessToken(Told):
    """Spec: Token request. `expires_at` is in seconds since the epoch."""

    model_config = ConfigDict(alias_generator=None)

    access_token: str
    token_type: Literal["Bearer"]
    expires_at: Whole
    scope: str


class AnsweredIndividual(Told):
    """Spec: Individual fields."""

    surname: str | None
    othernames: str | None
    date_of_birth: Day | None
    sex: str | None
    government_id_no: str | None
    country_of_residence: str | None
    email_address: str | None
    phone_number: str | None
    employment_status: str | None
    marital_status: str | None
    education_level: str | None
    no_of_dependants: Whole | None
    fingerprints: list[Any]
    photos: list[Any]


class AnsweredDevice(Told):
    """Spec: Device fields; unset optional ones are null."""

    device_id: str
    device_type: str | None
    model_number: str | None
    os_name: str | None
    os_version: str | None
    created_at: Moment
    active: StrictBool
    serial_number: str | None
    equipment_id: str | None
    other_equipment_id: str | None


class AnsweredLoanSummary(Told):
    """Spec: LoanSummary fields. One that was sent may lack whatever was not sent."""

    loan_id: str
    principal_amount: Num | None
    payable_amount: Num | None
    paid_amount: Num | None
    start_date: Moment | None
    end_date: Moment | None
    next_payment_date: Moment | None
    completion_date: Moment | None
    assessment_id: str | None


class AnsweredBorrower(Stored):
    """Spec: Borrower."""

    borrower_id: str
    borrower_no: Whole
    category: Category
    start_date: Moment
    individual: AnsweredIndividual | None
    company: Free | None
    devices: list[AnsweredDevice]
    loans: list[AnsweredLoanSummary]
    settings: dict[str, str]
    profiles: Free | None
    identity: Free | None
    demographic: Free | None


class Balance(Told):
    """Spec: LoanBalances, one of the five."""

    due: Num
    paid: Num
    total: Num
    unpaid: Num
    overdue: Num


class LoanBalances(Told):
    """Spec: LoanBalances."""

    fees: Balance
    penalty: Balance
    interest: Balance
    principal: Balance
    repayment: Balance


class DueAmounts(Told):
    """Spec: Installment amounts, still to be paid."""

    repayment: Num
    principal: Num
    interest: Num
    fees: Num
    penalty: Num


class NextInstallment(Told):
    """Spec: LoanSchedule, nextInstallment."""

    sequence_no: Whole
    start_date: Moment
    due_date: Moment
    amounts: DueAmounts


class LoanSchedule(Told):
    """Spec: LoanSchedule."""

    days_late: Whole
    next_installment: NextInstallment | None


class LoanOutcome(Told):
    """Spec: LoanOutcome."""

    type: str
    reason: str | None
    message: str | None


class AnsweredLoan(Stored):
    """Spec: Loan."""

    account_id: str
    account_no: Whole
    loan_type: str
    borrower_id: str
    lender_id: str | None
    category: Category
    sequence_no: Whole
    product_id: StrictStr
    contract: LendingContract
    loan_amount: Num
    balances: LoanBalances
    start_date: Moment
    maturity_date: Moment
    schedule: LoanSchedule
    settlement_date: Moment | None
    performance_status: Whole
    result: LoanOutcome | None
    assessment_id: str | None
    app_version_id: str | None
    request_id: str
    settings: Free | None
    labels: Free | None


class BorrowerPage(Told):
    """Spec: Borrowers, List."""

    borrowers: list[AnsweredBorrower]
    next_page_token: Token


class LoanPage(Told):
    """Spec: Loans, List."""

    loans: list[AnsweredLoan]
    next_page_token: Token
