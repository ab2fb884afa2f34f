"""Build a complete contract from a plan (Spec: LendingContract).

The contract has a schedule, fees, amounts and rates.
"""

from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.rules import rates
from lendingadmin.sandbox.rules.amounts import ZERO, round_cents
from lendingadmin.sandbox.rules.instants import day_end, day_start, write_days, write_timestamp
from lendingadmin.sandbox.rules.schedule import Parts, Style, amortise, cut_slots

DEDUCTED = "deducted_disbursement_fee"
LATE = "late_payment_fee"


class Fee(NamedTuple):
    """A fee as a share of the principal (Spec: Fee).

    `deducted_disbursement_fee` is deducted from the disbursement. `late_payment_fee` is charged if
    an instalment is late. Any other kind is due with the first instalment.
    """

    kind: str
    value: Decimal
    display_name: str
    description: str


class Plan(NamedTuple):
    """Values that determine a contract: yearly rates as fractions, periods in days."""

    product_id: str
    style: Style
    requested: Decimal
    start: date
    period_days: int
    interval_days: int
    base_rate: Decimal
    risk_premium_rate: Decimal
    waiver_rate: Decimal
    max_aer: Decimal
    max_apr: Decimal
    fees: tuple[Fee, ...]
    penalty_rate: Decimal
    grace_days: int
    version_no: int = 1

    @property
    def step_days(self) -> int:
        """Days between two instalments. This is also the compounding period of interest."""
        longest = self.style is Style.BULLET
        return self.period_days if longest else min(self.interval_days, self.period_days)

    @property
    def nominal_rate(self) -> Decimal:
        """Base rate + risk premium − waiver, at least zero; AER is then at most `max_aer`."""
        asked = max(Decimal(0), self.base_rate + self.risk_premium_rate - self.waiver_rate)
        return rates.round_rate(min(asked, rates.compute_nominal(self.max_aer, self.step_days)))

    def fee_of(self, kind: str) -> Decimal:
        """Return the fees of one kind on the requested principal, to the cent."""
        return sum(
            (round_cents(self.requested * fee.value) for fee in self.fees if fee.kind == kind), ZERO
        )


def build_contract(plan: Plan) -> dict[str, Any]:
    """Return the document of a contract. Amounts and rates are Decimals; timestamps are text."""
    dates = cut_slots(plan.start, plan.period_days, plan.step_days)
    parts = amortise(plan.style, plan.requested, plan.nominal_rate, dates)
    deducted = plan.fee_of(DEDUCTED)
    upfront = sum((plan.fee_of(kind) for kind in _find_first_kinds(plan)), ZERO)
    installments = [
        _build_installment(number, part, upfront if number == 1 else ZERO)
        for number, part in enumerate(parts, start=1)
    ]
    start, maturity = installments[0]["startDate"], installments[-1]["dueDate"]
    interest = sum((part.interest for part in parts), ZERO)
    return {
        "productId": plan.product_id,
        "versionNo": plan.version_no,
        "startDate": start,
        "maturityDate": maturity,
        "terms": _build_terms(plan),
        "amounts": {
            "requested": plan.requested,
            "disbursement": plan.requested - deducted,
            "principal": plan.requested,
            "interest": interest,
            "repayment": plan.requested + interest + upfront,
            "fees": deducted + upfront,
            "penalty": ZERO,
        },
        "interestRates": _build_interest_rates(plan, parts, deducted, upfront),
        "adjustments": [_build_adjustment(plan, fee) for fee in plan.fees if fee.kind == DEDUCTED],
        "tranches": [
            {"sequenceNo": 1, "startDate": start, "dueDate": maturity, "amount": plan.requested}
        ],
        "installments": installments,
    }


def _find_first_kinds(plan: Plan) -> set[str]:
    return {fee.kind for fee in plan.fees} - {DEDUCTED, LATE}


def _build_installment(number: int, parts: Parts, fees: Decimal) -> dict[str, Any]:
    return {
        "sequenceNo": number,
        "startDate": write_timestamp(day_start(parts.slot.first)),
        "dueDate": write_timestamp(day_end(parts.slot.last)),
        "amounts": {
            "repayment": parts.principal + parts.interest + fees,
            "principal": parts.principal,
            "interest": parts.interest,
            "fees": fees,
            "penalty": ZERO,
        },
    }


def _build_terms(plan: Plan) -> dict[str, Any]:
    return {
        "period": write_days(plan.period_days),
        "repaymentInterval": write_days(plan.step_days),
        "fees": [_build_fee(fee) for fee in plan.fees],
        "penalty": {
            "rate": plan.penalty_rate,
            "gracePeriod": write_days(plan.grace_days),
            "calculationMethod": "overdue_principal",
        },
        "interest": {
            "maxAER": plan.max_aer,
            "maxAPR": plan.max_apr,
            "baseRate": plan.base_rate,
            "waiverRate": plan.waiver_rate,
            "riskPremiumRate": plan.risk_premium_rate,
            "calculationMethod": "reducing_balance",
            "compoundingPeriod": write_days(plan.step_days),
        },
    }


def _build_fee(fee: Fee) -> dict[str, Any]:
    late = fee.kind == LATE
    return {
        "kind": fee.kind,
        "value": fee.value,
        "required": True,
        "description": fee.description,
        "displayName": fee.display_name,
        "calculationMethod": "principal_amount_ratio",
        "installmentTarget": "in_progress" if late else "first_in_sequence",
        "calculateInAdvance": not late,
    }


def _build_adjustment(plan: Plan, fee: Fee) -> dict[str, Any]:
    return {
        "kind": fee.kind,
        "displayName": fee.display_name,
        "description": fee.description,
        "target": "disbursement",
        "action": "deduct",
        "valueType": "absolute",
        "source": "principal",
        "value": round_cents(plan.requested * fee.value),
    }


def _build_interest_rates(
    plan: Plan, parts: list[Parts], deducted: Decimal, upfront: Decimal
) -> dict[str, Decimal]:
    """Return the rates. AER and APY compound only the interest; APR includes all known fees."""
    days, nominal = plan.step_days, plan.nominal_rate
    flows = [
        ((part.slot.last - plan.start).days + 1, part.principal + part.interest) for part in parts
    ]
    flows[0] = (flows[0][0], flows[0][1] + upfront)
    compound = rates.round_rate(rates.compute_effective(nominal, days))
    return {
        "nominalRate": nominal,
        "periodicRate": rates.round_rate(rates.compute_periodic(nominal, days)),
        "APR": rates.round_rate(rates.compute_apr(plan.requested - deducted, flows, days)),
        "AER": compound,
        "APY": compound,
    }
