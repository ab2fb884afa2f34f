"""Function that opens a loan account for the contract in a request.

If the contract has no instalments, they are computed from a plan. The plan has the values of the
contract, or else of its product.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.catalogue.products import Product
from lendingadmin.sandbox.rules.accounts import KINDS, Arrears, Line
from lendingadmin.sandbox.rules.amounts import ZERO, read_amount, read_number, read_positive_amount
from lendingadmin.sandbox.rules.contract import DEDUCTED, LATE, Fee, Plan, build_contract
from lendingadmin.sandbox.rules.instants import read_days, read_timestamp
from lendingadmin.sandbox.rules.invalid import Invalid

MOST_INSTALMENTS = 520


class Opening(NamedTuple):
    """A complete contract, with its account."""

    contract: dict[str, Any]
    lines: list[Line]
    arrears: Arrears
    principal: Decimal
    maturity: datetime


def open_account(
    product: Product, posted: Mapping[str, Any], amount: Decimal | None, start: date
) -> Opening:
    """Return the account for the contract in a request (Spec: Loans, Create).

    A contract with instalments is used unchanged, with all keys. If it has none, the instalments
    and the values that depend on them are computed from the terms and the product; other keys of
    the contract are preserved. Raise Invalid with the name of the field.
    """
    contract = dict(posted)
    if not contract.get("installments"):
        begin = contract.get("startDate")
        first = start if begin is None else read_timestamp(begin, "contract.startDate").date()
        contract |= build_contract(build_plan(product, posted, amount, first))
    lines = read_lines(contract.get("installments"))
    principal = sum((line.owed[KINDS.index("principal")] for line in lines), ZERO)
    _check_principal(principal, amount, contract)
    return Opening(
        contract, lines, read_arrears(contract), principal, max(line.due for line in lines)
    )


def read_lines(installments: object) -> list[Line]:
    """Return the lines of an account from a contract's instalments.

    Raise Invalid with the name of the field.
    """
    if not isinstance(installments, list) or not 1 <= len(installments) <= MOST_INSTALMENTS:
        raise Invalid(
            "contract.installments", f"must be an array of at most {MOST_INSTALMENTS} instalments"
        )
    return [_read_line(place, one) for place, one in enumerate(installments)]


def _read_line(place: int, installment: object) -> Line:
    field = f"contract.installments[{place}]"
    if not isinstance(installment, Mapping):
        raise Invalid(field, "must be an object")
    amounts = read_section(installment, "amounts", f"{field}.amounts")
    due = read_timestamp(installment.get("dueDate"), f"{field}.dueDate")
    begin = installment.get("startDate", installment["dueDate"])
    start = read_timestamp(begin, f"{field}.startDate")
    if start > due:
        raise Invalid(f"{field}.dueDate", "must not be before its startDate")
    owed = [read_amount(amounts.get(kind, 0), f"{field}.amounts.{kind}") for kind in KINDS]
    return Line(place + 1, start, due, owed)


def read_arrears(contract: Mapping[str, Any]) -> Arrears:
    """Return the cost of late payment under a contract; zero if the terms have none.

    Raises Invalid.
    """
    terms = read_section(contract, "terms", "contract.terms")
    penalty = read_section(terms, "penalty", "contract.terms.penalty")
    rate, grace = penalty.get("rate"), penalty.get("gracePeriod")
    field = "contract.terms.penalty"
    share = Decimal(0) if rate is None else read_number(rate, f"{field}.rate")
    if not 0 <= share <= 1:
        raise Invalid(f"{field}.rate", "must be a fraction between 0 and 1")
    days = 0 if grace is None else read_days(grace, f"{field}.gracePeriod")
    late = sum((fee.value for fee in read_fees(terms) if fee.kind == LATE), Decimal(0))
    return Arrears(share, timedelta(days=days), late)


def _check_principal(
    principal: Decimal, amount: Decimal | None, contract: Mapping[str, Any]
) -> None:
    if principal <= 0:
        raise Invalid("contract.installments", "must repay a principal above zero")
    if amount is not None and amount != principal:
        raise Invalid("loanAmount", f"must be the principal of the instalments, {principal}")
    stated = read_section(contract, "amounts", "contract.amounts").get("principal")
    if stated is not None and read_number(stated, "contract.amounts.principal") != principal:
        raise Invalid(
            "contract.amounts.principal", f"must be the principal of the instalments, {principal}"
        )


def build_plan(
    product: Product, contract: Mapping[str, Any], amount: Decimal | None, start: date
) -> Plan:
    """Return the plan of a contract. Values that the contract does not have come from the product.

    The principal is `amount` (the loan's `loanAmount`), else `contract.amounts.principal`, else
    `contract.amounts.requested`. Raise Invalid with the name of the field.
    """
    terms = read_section(contract, "terms", "contract.terms")
    interest = read_section(terms, "interest", "contract.terms.interest")
    penalty = read_section(terms, "penalty", "contract.terms.penalty")
    period = _read_days_or(terms, "period", product.period_days, "contract.terms.period")
    interval = _read_days_or(
        terms, "repaymentInterval", product.interval_days, "contract.terms.repaymentInterval"
    )
    if period < 1 or interval < 1 or period > interval * MOST_INSTALMENTS:
        raise Invalid("contract.terms.period", f"must make 1 to {MOST_INSTALMENTS} instalments")
    return Plan(
        product_id=product.product_id,
        style=product.style,
        requested=amount if amount is not None else _read_principal(contract),
        start=start,
        period_days=period,
        interval_days=interval,
        base_rate=_read_rate_or(interest, "baseRate", product.base_rate),
        risk_premium_rate=_read_rate_or(interest, "riskPremiumRate", product.risk_premium_rate),
        waiver_rate=_read_rate_or(interest, "waiverRate", Decimal(0)),
        max_aer=_read_rate_or(interest, "maxAER", product.max_aer),
        max_apr=_read_rate_or(interest, "maxAPR", product.max_apr),
        fees=_choose_fees(terms, product),
        penalty_rate=_read_rate_or(penalty, "rate", product.penalty_rate, "contract.terms.penalty"),
        grace_days=_read_days_or(
            penalty, "gracePeriod", product.grace_days, "contract.terms.penalty.gracePeriod"
        ),
    )


def read_section(holder: Mapping[str, Any], key: str, field: str) -> Mapping[str, Any]:
    """Return a nested object; empty if it is missing or null. Raise Invalid for any other value."""
    value = holder.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    return value


def read_fees(terms: Mapping[str, Any]) -> tuple[Fee, ...]:
    """Return the fees of the terms in a request. May raise Invalid."""
    posted = [] if terms.get("fees") is None else terms["fees"]
    if not isinstance(posted, list):
        raise Invalid("contract.terms.fees", "must be an array")
    return tuple(
        _read_fee(fee, f"contract.terms.fees[{place}]") for place, fee in enumerate(posted)
    )


def _read_fee(fee: object, field: str) -> Fee:
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


def _choose_fees(terms: Mapping[str, Any], product: Product) -> tuple[Fee, ...]:
    fees = product.fees if terms.get("fees") is None else read_fees(terms)
    if sum(fee.value for fee in fees if fee.kind == DEDUCTED) >= 1:
        raise Invalid("contract.terms.fees", "must leave something to disburse")
    return fees


def _read_principal(contract: Mapping[str, Any]) -> Decimal:
    amounts = read_section(contract, "amounts", "contract.amounts")
    for key in ("principal", "requested"):
        if amounts.get(key) is not None:
            return read_positive_amount(amounts[key], f"contract.amounts.{key}")
    raise Invalid("loanAmount", "is needed to compute the contract's instalments")


def _read_days_or(holder: Mapping[str, Any], key: str, default: int, field: str) -> int:
    value = holder.get(key)
    return default if value is None else read_days(value, field)


def _read_rate_or(
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
