"""The contract of a loan (Spec: LendingContract). Rates are fractions, durations `<n> days`."""

from typing import ClassVar

from pydantic import Field

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Flag, Many, Number, One, Text, Timestamp


class Fee(Value):
    """A fee of the contract's terms."""

    kind: Text = None
    value: Number = None
    required: Flag = None
    description: Text = None
    display_name: Text = None
    calculation_method: Text = None
    installment_target: Text = None
    calculate_in_advance: Flag = None


class Penalty(Value):
    """How lateness is charged."""

    rate: Number = None
    grace_period: Text = None
    calculation_method: Text = None


class Interest(Value):
    """How interest is charged."""

    max_aer: Number = Field(default=None, alias="maxAER")
    max_apr: Number = Field(default=None, alias="maxAPR")
    base_rate: Number = None
    waiver_rate: Number = None
    risk_premium_rate: Number = None
    calculation_method: Text = None
    compounding_period: Text = None


class Terms(Value):
    """The terms of a contract."""

    period: Text = None
    fees: Many[Fee] = None
    penalty: One[Penalty] = None
    interest: One[Interest] = None


class ContractAmounts(Value):
    """What the loan comes to, in money."""

    requested: Number = None
    disbursement: Number = None
    principal: Number = None
    interest: Number = None
    repayment: Number = None
    fees: Number = None
    penalty: Number = None


class InterestRates(Value):
    """The rates that the contract works out to."""

    nominal_rate: Number = None
    periodic_rate: Number = None
    apr: Number = Field(default=None, alias="APR")
    aer: Number = Field(default=None, alias="AER")
    apy: Number = Field(default=None, alias="APY")


class Adjustment(Value):
    """A change to an amount, such as a fee deducted from what is disbursed."""

    kind: Text = None
    display_name: Text = None
    description: Text = None
    target: Text = None
    action: Text = None
    value_type: Text = None
    source: Text = None
    value: Number = None


class Tranche(Value):
    """One payment to the borrower."""

    sequence_no: Number = None
    start_date: Timestamp = None
    due_date: Timestamp = None
    amount: Number = None


class InstallmentAmounts(Value):
    """What one instalment consists of, in money."""

    repayment: Number = None
    principal: Number = None
    interest: Number = None
    fees: Number = None
    penalty: Number = None


class Installment(Value):
    """One payment by the borrower, due at the end of its due date."""

    sequence_no: Number = None
    start_date: Timestamp = None
    due_date: Timestamp = None
    amounts: One[InstallmentAmounts] = None


class LendingContract(Value):
    """A contract, previewed or in force; a loan is made by sending its `raw` back."""

    id_field: ClassVar[str | None] = "product_id"

    product_id: Text = None
    version_no: Number = None
    start_date: Timestamp = None
    maturity_date: Timestamp = None
    terms: One[Terms] = None
    amounts: One[ContractAmounts] = None
    interest_rates: One[InterestRates] = None
    adjustments: Many[Adjustment] = None
    tranches: Many[Tranche] = None
    installments: Many[Installment] = None
