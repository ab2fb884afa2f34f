"""The LendingContract (Spec: LendingContract), and the bodies of loans and repayments."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    StrictStr,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.schemas.inputs import (
    Free,
    Id,
    Number,
    PositiveAmount,
    Sent,
    Timestamp,
    Word,
)


class Part(BaseModel):
    """A part of a contract. Fields of the spec have a type; other fields are allowed too."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow")


class Fee(Part):
    """A fee of a contract (Spec: Fee)."""

    kind: StrictStr | None = None
    value: Number | None = None
    required: StrictBool | None = None
    description: StrictStr | None = None
    display_name: StrictStr | None = None
    calculation_method: StrictStr | None = None
    installment_target: StrictStr | None = None
    calculate_in_advance: StrictBool | None = None


class Penalty(Part):
    """Penalty for late instalments (Spec: terms.penalty)."""

    rate: Number | None = None
    grace_period: StrictStr | None = None
    calculation_method: StrictStr | None = None


class Interest(Part):
    """Interest of a contract (Spec: terms.interest)."""

    model_config = ConfigDict(
        alias_generator=lambda name: {"max_aer": "maxAER", "max_apr": "maxAPR"}.get(
            name, to_camel(name)
        )
    )

    max_aer: Number | None = None
    max_apr: Number | None = None
    base_rate: Number | None = None
    waiver_rate: Number | None = None
    risk_premium_rate: Number | None = None
    calculation_method: StrictStr | None = None
    compounding_period: StrictStr | None = None


class Terms(Part):
    """Terms of a contract (Spec: terms). The sandbox adds `repaymentInterval`."""

    period: StrictStr | None = None
    repayment_interval: StrictStr | None = None
    fees: list[Fee] | None = None
    penalty: Penalty | None = None
    interest: Interest | None = None


class ContractAmounts(Part):
    """Total amounts of a contract (Spec: amounts)."""

    requested: Number | None = None
    disbursement: Number | None = None
    principal: Number | None = None
    interest: Number | None = None
    repayment: Number | None = None
    fees: Number | None = None
    penalty: Number | None = None


class InterestRates(Part):
    """Interest rates of a contract (Spec: interestRates)."""

    model_config = ConfigDict(
        alias_generator=lambda name: name.upper() if len(name) == 3 else to_camel(name)
    )

    nominal_rate: Number | None = None
    periodic_rate: Number | None = None
    apr: Number | None = None
    aer: Number | None = None
    apy: Number | None = None


class Adjustment(Part):
    """Change of a rate or an amount of a contract (Spec: Adjustment)."""

    kind: StrictStr | None = None
    display_name: StrictStr | None = None
    description: StrictStr | None = None
    target: StrictStr | None = None
    action: StrictStr | None = None
    value_type: StrictStr | None = None
    source: StrictStr | None = None
    value: Number | None = None


class Tranche(Part):
    """Tranche of a loan, with its amount and days (Spec: Tranche)."""

    sequence_no: Number | None = None
    start_date: Timestamp | None = None
    due_date: Timestamp | None = None
    amount: Number | None = None


class InstallmentAmounts(Part):
    """Amounts of an instalment (Spec: Installment amounts)."""

    repayment: Number | None = None
    principal: Number | None = None
    interest: Number | None = None
    fees: Number | None = None
    penalty: Number | None = None


class Installment(Part):
    """An instalment of a contract (Spec: Installment)."""

    sequence_no: Number | None = None
    start_date: Timestamp | None = None
    due_date: Timestamp | None = None
    amounts: InstallmentAmounts | None = None


class LendingContract(Part):
    """A loan contract (Spec: LendingContract).

    A sent contract may omit any field; all keys that were sent are saved.
    """

    product_id: StrictStr | None = None
    version_no: Number | None = None
    start_date: Timestamp | None = None
    maturity_date: Timestamp | None = None
    terms: Terms | None = None
    amounts: ContractAmounts | None = None
    interest_rates: InterestRates | None = None
    adjustments: list[Adjustment] | None = None
    tranches: list[Tranche] | None = None
    installments: list[Installment] | None = None


def _check(sent: Any, check: ValidatorFunctionWrapHandler) -> Any:
    check(sent)
    return sent


UNCHANGED = PlainSerializer(lambda value: value)
if TYPE_CHECKING:
    PostedContract = Free
else:  # The value must have the form of a contract. The dict is used as it was sent.
    PostedContract = Annotated[LendingContract, WrapValidator(_check), UNCHANGED]


class NewLoan(Sent):
    """Body that creates a loan (Spec: Loans, Create).

    Fields that the service computes are ignored.
    """

    account_id: Id
    contract: PostedContract
    start_date: Timestamp
    borrower_id: StrictStr
    product_id: StrictStr | None = None
    loan_amount: PositiveAmount | None = None
    maturity_date: Timestamp | None = None
    lender_id: Word | None = None
    assessment_id: Word | None = None
    request_id: Word | None = None
    settings: Free | None = None
    labels: Free | None = None


class NewRepayment(Sent):
    """Body that records a repayment (Spec: Loans, MakeRepayment)."""

    external_id: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    amount: PositiveAmount
    transaction_date: Timestamp
    value_date: Timestamp | None = None
    channel: Literal["web", "mobile", "physical"] | None = None
    network: Word | None = None
    currency_code: Annotated[StrictStr, Field(pattern="^[A-Z]{3}$")] | None = None
    notes: Annotated[StrictStr, Field(max_length=2000)] | None = None
