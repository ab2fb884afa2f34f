"""Resources of the service as values that never change (Spec: Resources and fields)."""

from typing import Annotated, ClassVar

from .fields import Day, Flag, Many, Number, One, Status, Text, Texts, Timestamp
from .fields import Malformed as Malformed
from .fields import Record as Record
from .fields import Value as Value
from .fields import each as each
from .fields import moment as moment
from .fields import number as number
from .fields import status_key as status_key
from .fields import text as text
from .fields import timestamp_text as timestamp_text

# --- borrowers (Spec: Borrower) -----------------------------------------------------------------


class Individual(Value):
    """The person behind a borrower (Spec: Borrower, Individual fields). All fields are personal."""

    surname: Text
    othernames: Text
    date_of_birth: Day
    sex: Text
    government_id_no: Text
    country_of_residence: Text
    email_address: Text
    phone_number: Text
    employment_status: Text
    marital_status: Text
    education_level: Text
    no_of_dependants: Number
    fingerprints: Texts
    photos: Texts


class Device(Value):
    """A device of the borrower (Spec: Borrower, Device fields)."""

    id_field: ClassVar[str | None] = "device_id"

    device_id: Text
    device_type: Text
    model_number: Text
    os_name: Text
    os_version: Text
    created_at: Timestamp
    active: Flag
    serial_number: Text
    equipment_id: Text
    other_equipment_id: Text


class LoanSummary(Value):
    """A loan in the record of its borrower (Spec: Borrower, LoanSummary fields).

    Amounts are money.
    """

    id_field: ClassVar[str | None] = "loan_id"

    loan_id: Text
    principal_amount: Number
    payable_amount: Number
    paid_amount: Number
    start_date: Timestamp
    end_date: Timestamp
    next_payment_date: Timestamp
    completion_date: Timestamp
    assessment_id: Text


class Borrower(Value):
    """A borrower of an app (Spec: Borrower). The spec does not show the fields of a Record."""

    id_field: ClassVar[str | None] = "borrower_id"

    uid: Text
    name: Text
    created_at: Timestamp
    borrower_id: Text
    category: Text
    start_date: Timestamp
    status: Status
    borrower_no: Number
    individual: One[Individual]
    company: One[Record]
    identity: One[Record]
    demographic: One[Record]
    profiles: One[Record]
    devices: Many[Device]
    loans: Many[LoanSummary]
    settings: One[Record]


# --- contracts (Spec: LendingContract): rates are fractions, durations `<n> days` ---------------


class Fee(Value):
    """A fee in the terms of a contract."""

    kind: Text
    value: Number
    required: Flag
    description: Text
    display_name: Text
    calculation_method: Text
    installment_target: Text
    calculate_in_advance: Flag


class Penalty(Value):
    """Penalty for late payment: rate and rules."""

    rate: Number
    grace_period: Text
    calculation_method: Text


class Interest(Value):
    """Interest of a contract: rates and rules."""

    max_aer: Annotated[Number, "maxAER"]
    max_apr: Annotated[Number, "maxAPR"]
    base_rate: Number
    waiver_rate: Number
    risk_premium_rate: Number
    calculation_method: Text
    compounding_period: Text


class Terms(Value):
    """The terms of a contract."""

    period: Text
    fees: Many[Fee]
    penalty: One[Penalty]
    interest: One[Interest]


class ContractAmounts(Value):
    """The amounts of the loan, in money."""

    requested: Number
    disbursement: Number
    principal: Number
    interest: Number
    repayment: Number
    fees: Number
    penalty: Number


class InterestRates(Value):
    """Rates that follow from the contract."""

    nominal_rate: Number
    periodic_rate: Number
    apr: Annotated[Number, "APR"]
    aer: Annotated[Number, "AER"]
    apy: Annotated[Number, "APY"]


class Adjustment(Value):
    """A change to an amount, such as a fee that is deducted from the disbursed amount."""

    kind: Text
    display_name: Text
    description: Text
    target: Text
    action: Text
    value_type: Text
    source: Text
    value: Number


class Tranche(Value):
    """One payment to the borrower."""

    sequence_no: Number
    start_date: Timestamp
    due_date: Timestamp
    amount: Number


class InstallmentAmounts(Value):
    """The parts of one instalment, in money."""

    repayment: Number
    principal: Number
    interest: Number
    fees: Number
    penalty: Number


class Installment(Value):
    """One payment by the borrower, due at the end of its due date."""

    sequence_no: Number
    start_date: Timestamp
    due_date: Timestamp
    amounts: One[InstallmentAmounts]


class LendingContract(Value):
    """A contract of a preview or of a loan. To create a loan, send the `raw` of a preview back."""

    id_field: ClassVar[str | None] = "product_id"

    product_id: Text
    version_no: Number
    start_date: Timestamp
    maturity_date: Timestamp
    terms: One[Terms]
    amounts: One[ContractAmounts]
    interest_rates: One[InterestRates]
    adjustments: Many[Adjustment]
    tranches: Many[Tranche]
    installments: Many[Installment]


# --- loan accounts (Spec: Loan) -----------------------------------------------------------------


class Balance(Value):
    """Balance of one part of the amount owed, in money."""

    due: Number
    paid: Number
    total: Number
    unpaid: Number
    overdue: Number


class LoanBalances(Value):
    """Balances of the parts of the amount owed. `repayment` is the total (Spec: LoanBalances)."""

    fees: One[Balance]
    penalty: One[Balance]
    interest: One[Balance]
    principal: One[Balance]
    repayment: One[Balance]


class LoanSchedule(Value):
    """Days that the loan is late, and its next instalment (Spec: Loan, LoanSchedule)."""

    days_late: Number
    next_installment: One[Installment]


class LoanOutcome(Value):
    """End of a closed loan: its type and reason (Spec: Loan, LoanOutcome)."""

    type: Text
    reason: Text
    message: Text


class Loan(Value):
    """A loan account of an app (Spec: Loan).

    The spec does not show the fields in settings and labels.
    """

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


# --- offers, and the long-running operation of an offer (Spec: Offer operation) ------------------


_SUMMARY_KEYS = ("creditLimit", "products", "interestRateWaiver")


class OfferInterest(Value):
    """The interest on a product in an offer."""

    risk_premium_rate: Number


class OfferTerms(Value):
    """The terms of a product in an offer."""

    interest: One[OfferInterest]


class OfferProduct(Value):
    """A product for which the borrower qualifies."""

    id_field: ClassVar[str | None] = "product_id"

    product_id: Text
    terms: One[OfferTerms]


class OffersResponse(Value):
    """Offers for the borrower: a limit in money, and products (Spec: GetOffersResponse)."""

    credit_limit: Number
    products: Many[OfferProduct]
    interest_rate_waiver: Number
    valid_from: Timestamp

    @property
    def summary(self) -> dict[str, object]:
        """Offer summary for the contract preview, as received (Spec: Borrowers, 5)."""
        return {key: self.raw[key] for key in _SUMMARY_KEYS if key in self.raw}


class OfferResult(Value):
    """Result of an offer operation. After success there is no `error`."""

    error: Text
    response: One[OffersResponse]


class OfferMetadata(Value):
    """Subject and progress of an offer operation. Known statuses are `queued` and `completed`."""

    status: Text
    start_time: Timestamp
    end_time: Timestamp
    expiry_time: Timestamp
    project_id: Text
    app_id: Text
    account_id: Text
    request_id: Text
    assessment_id: Text


class OfferOperation(Value):
    """A request for offers. There is no result until the request is complete."""

    id_field: ClassVar[str | None] = "operation_id"

    name: Text
    operation_id: Text
    done: Flag
    metadata: One[OfferMetadata]
    result: One[OfferResult]


# --- credit assessments and their types (Spec: Assessment, AssessmentType) ----------------------


class AssessmentOutcome(Value):
    """Result of an assessment.

    It is missing until the assessment is processed (Spec: Assessment).
    """

    type: Text
    reason: Text
    message: Text
    rule: Text
    risk_level: Text
    risk_score: Number
    credit_score: Number
    credit_rating: Text


class Assessment(Value):
    """An assessment of an app user (Spec: Assessment).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "assessment_id"

    uid: Text
    name: Text
    created_at: Timestamp
    account_id: Text
    assessment_id: Text
    assessment_type: Text
    timestamp: Timestamp
    status: Status
    result: One[AssessmentOutcome]
    app_version_id: Text
    request_id: Text


class AssessedApps(Value):
    """Apps for which an assessment type can be used."""

    channels: Texts
    platforms: Texts


class AssessedAccounts(Value):
    """Accounts for which an assessment type can be used."""

    categories: Texts
    account_types: Texts


class AssessmentSettings(Value):
    """Limits of an assessment type."""

    apps: One[AssessedApps]
    accounts: One[AssessedAccounts]


class AssessmentType(Value):
    """A kind of assessment (Spec: AssessmentType).

    Status 0 is in beta testing, 1 general availability, 2 deprecated. Requests for assessments and
    offers give the `name` of the type.
    """

    id_field: ClassVar[str | None] = "assessment_type_id"

    uid: Text
    name: Text
    created_at: Timestamp
    assessment_type_id: Text
    category: Text
    period: Text
    status: Status
    display_name: Text
    description: Text
    settings: One[AssessmentSettings]


# --- lending events: behavioural data reported for a borrower (Spec: Event) ---------------------


class EntityValueSet(Value):
    """Personal values of one kind. The fields depend on the kind (Spec: EntityValueSet)."""

    kind: Text
    values: Many[Record]


class Event(Value):
    """A lending event (Spec: Event).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "event_id"

    uid: Text
    name: Text
    created_at: Timestamp
    account_id: Text
    event_id: Text
    event_type: Text
    timestamp: Timestamp
    status: Status
    data: Many[EntityValueSet]
    app_version_id: Text
    category: Text
    result: One[Record]


# --- lending products (Spec: Product) -----------------------------------------------------------


class TermsAdjustment(Value):
    """Adjustment of a product's rate or amount."""

    action: Text
    target: Text
    value_type: Text


class ProductInterest(Value):
    """The interest of a product; rates are fractions, durations `<n> days`."""

    type: Text
    term_period: Text
    base_rate: Number
    max_effective_rate: Number
    risk_premium_rate: Number
    adjustment: One[TermsAdjustment]


class LendingTerms(Value):
    """The terms of a product (Spec: Product, LendingTerms).

    In the spec, `adjustment` is in this object or inside `interest`; both are read.
    """

    period: Text
    repayment_interval: Text
    interest: One[ProductInterest]
    adjustment: One[TermsAdjustment]


class Charge(Value):
    """A charge of a product (Spec: Product, Charge)."""

    name: Text
    kind: Text
    action: Text
    target: Text
    value_type: Text
    display_name: Text
    value: Number


class Product(Value):
    """A lending product of the project (Spec: Product).

    The spec does not show the fields in labels.
    """

    id_field: ClassVar[str | None] = "product_id"

    uid: Text
    name: Text
    created_at: Timestamp
    product_id: Text
    product_type: Text
    status: Status
    display_name: Text
    display_priority: Number
    terms: One[LendingTerms]
    description: Text
    sku_id: Text
    labels: One[Record]
    charges: Many[Charge]
