"""The contract of a loan (Spec: LendingContract). Rates are fractions, durations `<n> days`."""

from typing import Annotated, ClassVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Flag, Many, Number, One, Text, Timestamp


class Fee(Value):
    """A fee of the contract's terms."""

    kind: Text
    value: Number
    required: Flag
    description: Text
    display_name: Text
    calculation_method: Text
    installment_target: Text
    calculate_in_advance: Flag


class Penalty(Value):
    """How lateness is charged."""

    rate: Number
    grace_period: Text
    calculation_method: Text


class Interest(Value):
    """How interest is charged."""

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
    """What the loan comes to, in money."""

    requested: Number
    disbursement: Number
    principal: Number
    interest: Number
    repayment: Number
    fees: Number
    penalty: Number


class InterestRates(Value):
    """The rates that the contract works out to."""

    nominal_rate: Number
    periodic_rate: Number
    apr: Annotated[Number, "APR"]
    aer: Annotated[Number, "AER"]
    apy: Annotated[Number, "APY"]


class Adjustment(Value):
    """A change to an amount, such as a fee deducted from what is disbursed."""

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
    """What one instalment consists of, in money."""

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
    """A contract, previewed or in force; a loan is made by sending its `raw` back."""

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
