"""Answers of the API (Spec: Resources and their fields), with fields in the order of the JSON.

The OpenAPI document and the answers are made from these models.
"""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    RootModel,
    StrictBool,
    WithJsonSchema,
    WrapValidator,
)
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.schemas.contracts import UNCHANGED, LendingContract
from lendingadmin.sandbox.schemas.inputs import Category, Device, Free, Individual

_MOMENT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"
# Stored JSON and values from the rules are sent unchanged. The OpenAPI document describes them, but
# pydantic does not check them.
_UNREAD = WrapValidator(lambda value, _: value)

Num = Annotated[Decimal, WithJsonSchema({"type": "number"})]
Moment = Annotated[
    datetime, WithJsonSchema({"type": "string", "format": "date-time", "pattern": _MOMENT})
]
Duration = Annotated[str, WithJsonSchema({"type": "string", "pattern": r"^\d+ days$"})]
Token = Annotated[str | None, WithJsonSchema({"type": ["string", "null"]})]


class Answer(BaseModel):
    """An object of an answer; it has all of these fields and no others."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    @classmethod
    def read(cls, source: object, **computed: Any) -> Self:
        """Return the answer with the computed values; other attributes come from `source`."""
        rest = {name: getattr(source, name) for name in cls.model_fields if name not in computed}
        return cls(**rest, **computed)


class Stored(Answer):
    """The fields of every stored resource (Spec: Conventions)."""

    uid: UUID
    name: str
    status: int
    created_at: Moment


class Error(Answer):
    """Answer to a refused request (Spec: Errors). The sandbox adds `error` for programs."""

    model_config = ConfigDict(alias_generator=None)

    error: str
    error_description: Annotated[str, WithJsonSchema({"type": "string", "minLength": 1})]


class AccessToken(Answer):
    """Access token (Spec: Token request). `expires_at` is in seconds since the epoch."""

    model_config = ConfigDict(alias_generator=None)

    access_token: str
    token_type: Literal["Bearer"]
    expires_at: int
    scope: str


class AnsweredIndividual(Individual, Answer):
    """Personal fields of an individual borrower (Spec: Individual)."""

    fingerprints: list[Any]
    photos: list[Any]


class AnsweredDevice(Device, Answer):
    """Fields of a device; optional fields without a value are null (Spec: Device)."""

    device_id: str
    created_at: Moment
    active: StrictBool


class AnsweredLoanSummary(Answer):
    """Summary of a loan (Spec: LoanSummary). Fields that were not sent are absent or null."""

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
    """A borrower (Spec: Borrower)."""

    borrower_no: int
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
    borrower_id: str


class BorrowerPage(Answer):
    """A page of borrowers (Spec: Borrowers, List)."""

    borrowers: list[AnsweredBorrower]
    next_page_token: Token


class Balance(Answer):
    """One of the five balances of a loan (Spec: LoanBalances)."""

    due: Num
    paid: Num
    total: Num
    unpaid: Num
    overdue: Num


class LoanBalances(Answer):
    """The balances of a loan (Spec: LoanBalances)."""

    penalty: Balance
    fees: Balance
    interest: Balance
    principal: Balance
    repayment: Balance


class DueAmounts(Answer):
    """Unpaid amounts of an instalment (Spec: Installment amounts)."""

    repayment: Num
    penalty: Num
    fees: Num
    interest: Num
    principal: Num


class NextInstallment(Answer):
    """Next instalment of a loan (Spec: LoanSchedule, nextInstallment)."""

    sequence_no: int
    start_date: Moment
    due_date: Moment
    amounts: DueAmounts


class LoanSchedule(Answer):
    """Arrears and next instalment of a loan (Spec: LoanSchedule)."""

    days_late: int
    next_installment: NextInstallment | None


class LoanOutcome(Answer):
    """End of a loan (Spec: LoanOutcome)."""

    type: str
    reason: str | None
    message: str | None


class AnsweredLoan(Stored):
    """A loan (Spec: Loan)."""

    account_id: str
    account_no: int
    loan_type: str
    borrower_id: str
    lender_id: str | None
    category: Category
    sequence_no: int
    product_id: str
    contract: Annotated[LendingContract, _UNREAD, UNCHANGED]
    loan_amount: Num
    balances: LoanBalances
    start_date: Moment
    maturity_date: Moment
    schedule: LoanSchedule
    settlement_date: Moment | None
    performance_status: int
    assessment_id: str | None
    app_version_id: str | None
    request_id: str
    settings: Free | None
    labels: Free | None
    result: LoanOutcome | None


class LoanPage(Answer):
    """A page of loans (Spec: Loans, List)."""

    loans: list[AnsweredLoan]
    next_page_token: Token


class AnsweredValues(Answer):
    """Data of one kind; `kind` decides the fields of `values` (Spec: EntityValueSet)."""

    kind: str
    values: list[dict[str, Any]]


class AnsweredEvent(Stored):
    """An event (Spec: Event)."""

    account_id: str
    event_id: str
    event_type: str
    timestamp: Moment
    data: Annotated[list[AnsweredValues], _UNREAD, UNCHANGED]
    app_version_id: str | None
    category: Literal["sms", "contact"] | None
    result: Free | None


class EventPage(Answer):
    """A page of events (Spec: Events, List)."""

    events: list[AnsweredEvent]
    next_page_token: Token


class AssessmentOutcome(Answer):
    """Result of an assessment; `type` decides the fields (Spec: AssessmentOutcome)."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    type: str
    reason: str | None = None
    message: str | None = None
    rule: str | None = None
    risk_level: str | None = None
    risk_score: Num | None = None
    credit_score: Num | None = None
    credit_rating: str | None = None


class AnsweredAssessment(Stored):
    """An assessment (Spec: Assessment)."""

    account_id: str
    assessment_id: str
    assessment_type: str
    timestamp: Moment
    result: AssessmentOutcome | None
    app_version_id: str | None
    request_id: str | None


class AssessmentPage(Answer):
    """A page of assessments (Spec: Assessments, List)."""

    assessments: list[AnsweredAssessment]
    next_page_token: Token


class PremiumOnOffer(Answer):
    """Interest of an offered product (Spec: GetOffersResponse, terms.interest)."""

    risk_premium_rate: Num


class TermsOnOffer(Answer):
    """Terms of an offered product (Spec: GetOffersResponse, terms)."""

    interest: PremiumOnOffer


class ProductOnOffer(Answer):
    """A product of an offer (Spec: GetOffersResponse, products)."""

    product_id: str
    terms: TermsOnOffer


class GetOffersResponse(Answer):
    """An offer (Spec: GetOffersResponse)."""

    credit_limit: Num
    products: list[ProductOnOffer]
    interest_rate_waiver: Num
    valid_from: Moment


class OfferResult(Answer):
    """The result of an offer operation (Spec: Offer operation).

    `error` gives the reason if nothing is offered.
    """

    error: str | None
    response: GetOffersResponse | None


class OfferMetadata(Answer):
    """Times and ids of a requested offer (Spec: Offer operation, metadata)."""

    status: Literal["queued", "completed"]
    start_time: Moment
    end_time: Moment | None
    expiry_time: Moment
    project_id: str
    app_id: str
    account_id: str
    request_id: str
    assessment_id: str


class OfferOperation(Answer):
    """A requested offer, with its result when it is done (Spec: Offer operation)."""

    name: str
    operation_id: str
    done: bool
    metadata: OfferMetadata
    result: OfferResult | None


class PreviewedContract(LendingContract):
    """Preview of a contract with all fields (Spec: LendingContract)."""

    model_config = ConfigDict(json_schema_extra=lambda schema: _require_all(schema))


class Contracts(RootModel[Annotated[list[PreviewedContract], _UNREAD, UNCHANGED]]):
    """The previewed contracts (Spec: Borrowers, GetOfferContracts)."""


def _require_all(schema: dict[str, Any]) -> None:
    """Mark every property of a schema as required and not null."""
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.update(field.pop("anyOf")[0])
        field.pop("default", None)


class Adjusted(Answer):
    """Change of a rate (Spec: LendingTerms, interest.adjustment)."""

    action: str
    target: str
    value_type: str


class ProductInterest(Answer):
    """Interest of a product (Spec: LendingTerms, interest)."""

    type: str
    term_period: Duration
    base_rate: Num
    max_effective_rate: Num
    risk_premium_rate: Num
    adjustment: Adjusted


class LendingTerms(Answer):
    """Terms of a product (Spec: LendingTerms)."""

    period: Duration
    repayment_interval: Duration
    interest: ProductInterest


class Charge(Answer):
    """A charge of a product (Spec: Charge)."""

    name: str
    kind: str
    action: str
    target: str
    value_type: str
    display_name: str
    value: Num


class LendingProduct(Stored):
    """A product (Spec: Product)."""

    product_id: str
    product_type: str
    display_name: str
    display_priority: Num
    description: str | None
    sku_id: str | None
    labels: Free | None
    terms: LendingTerms
    charges: list[Charge]


class ProductPage(Answer):
    """A page of products (Spec: Products, List)."""

    products: list[LendingProduct]
    next_page_token: Token


class AssessedApps(Answer):
    """Channels and platforms of the assessed apps (Spec: AssessmentSettings, apps)."""

    channels: list[str]
    platforms: list[str]


class AssessedAccounts(Answer):
    """Categories and types of the assessed accounts (Spec: AssessmentSettings, accounts)."""

    categories: list[str]
    account_types: list[str]


class AssessmentSettings(Answer):
    """Settings of an assessment type (Spec: AssessmentType, settings)."""

    apps: AssessedApps
    accounts: AssessedAccounts


class AnsweredAssessmentType(Stored):
    """An assessment type (Spec: AssessmentType)."""

    assessment_type_id: str
    category: str
    period: Duration
    display_name: str
    description: str | None
    settings: AssessmentSettings | None


class AssessmentTypePage(Answer):
    """A page of assessment types (Spec: Assessment types, List)."""

    assessment_types: list[AnsweredAssessmentType]
    next_page_token: Token
