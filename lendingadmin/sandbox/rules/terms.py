"""Turns a posted contract without instalments, and its product, into a plan for the builder."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from lendingadmin.sandbox.catalogue.products import Product
from lendingadmin.sandbox.rules.amounts import read_number, read_positive_amount
from lendingadmin.sandbox.rules.contract import DEDUCTED, Fee, Plan
from lendingadmin.sandbox.rules.instants import read_days
from lendingadmin.sandbox.rules.invalid import Invalid

MOST_INSTALMENTS = 520


def plan_for(
    product: Product, contract: Mapping[str, Any], amount: Decimal | None, start: date
) -> Plan:
    """The plan of a contract: what it says itself, else what the product says.

    The principal is `amount` (the loan's `loanAmount`), else `contract.amounts.principal`, else
    `contract.amounts.requested`. Raises Invalid, naming the field.
    """
    terms = section(contract, "terms", "contract.terms")
    interest = section(terms, "interest", "contract.terms.interest")
    penalty = section(terms, "penalty", "contract.terms.penalty")
    period = _days(terms, "period", product.period_days, "contract.terms.period")
    interval = _days(
        terms, "repaymentInterval", product.interval_days, "contract.terms.repaymentInterval"
    )
    if period < 1 or interval < 1 or period > interval * MOST_INSTALMENTS:
        raise Invalid("contract.terms.period", f"must make 1 to {MOST_INSTALMENTS} instalments")
    return Plan(
        product_id=product.product_id,
        style=product.style,
        requested=amount if amount is not None else _principal(contract),
        start=start,
        period_days=period,
        interval_days=interval,
        base_rate=_rate(interest, "baseRate", product.base_rate),
        risk_premium_rate=_rate(interest, "riskPremiumRate", product.risk_premium_rate),
        waiver_rate=_rate(interest, "waiverRate", Decimal(0)),
        max_aer=_rate(interest, "maxAER", product.max_aer),
        max_apr=_rate(interest, "maxAPR", product.max_apr),
        fees=_fees(terms, product),
        penalty_rate=_rate(penalty, "rate", product.penalty_rate, "contract.terms.penalty"),
        grace_days=_days(
            penalty, "gracePeriod", product.grace_days, "contract.terms.penalty.gracePeriod"
        ),
    )


def section(holder: Mapping[str, Any], key: str, field: str) -> Mapping[str, Any]:
    """A nested object, empty when absent or null; anything else raises Invalid."""
    value = holder.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    return value


def read_fees(terms: Mapping[str, Any]) -> tuple[Fee, ...]:
    """The fees of posted terms; raises Invalid."""
    posted = [] if terms.get("fees") is None else terms["fees"]
    if not isinstance(posted, list):
        raise Invalid("contract.terms.fees", "must be an array")
    return tuple(_fee(fee, f"contract.terms.fees[{place}]") for place, fee in enumerate(posted))


def _fee(fee: object, field: str) -> Fee:
    if not isinstance(fee, Mapping) or not isinstance(fee.get("kind"), str):
        raise Invalid(field, "must be an object with a kind")
    value = read_number(fee.get("value"), f"{field}.value")
    if not 0 <= value < 1:
        raise Invalid(f"{field}.value", "must be a fraction of the principal, from 0 up to 1")
    name, description = fee.get("displayName"), fee.get("description")
    return Fee(
        fee["kind"],
        value,
        name if isinstance(name, str) else fee["kind"],
        description if isinstance(description, str) else "",
    )


def _fees(terms: Mapping[str, Any], product: Product) -> tuple[Fee, ...]:
    fees = product.fees if terms.get("fees") is None else read_fees(terms)
    if sum(fee.value for fee in fees if fee.kind == DEDUCTED) >= 1:
        raise Invalid("contract.terms.fees", "must leave something to disburse")
    return fees


def _principal(contract: Mapping[str, Any]) -> Decimal:
    amounts = section(contract, "amounts", "contract.amounts")
    for key in ("principal", "requested"):
        if amounts.get(key) is not None:
            return read_positive_amount(amounts[key], f"contract.amounts.{key}")
    raise Invalid("loanAmount", "is needed to compute the contract's instalments")


def _days(holder: Mapping[str, Any], key: str, default: int, field: str) -> int:
    value = holder.get(key)
    return default if value is None else read_days(value, field)


def _rate(
    holder: Mapping[str, Any],
    key: str,
    default: Decimal,
    where: str = "contract.terms.interest",
) -> Decimal:
    value = holder.get(key)
    if value is None:
        return default
    rate = read_number(value, f"{where}.{key}")
    if not 0 <= rate <= 100:
        raise Invalid(f"{where}.{key}", "must be a fraction between 0 and 100")
    return rate
