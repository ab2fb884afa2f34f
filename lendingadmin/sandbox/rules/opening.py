"""Opens the account of a contract: reads its instalments, or computes them when it has none."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.catalogue.products import Product
from lendingadmin.sandbox.rules.accounts import KINDS, Arrears, Line
from lendingadmin.sandbox.rules.amounts import ZERO, read_amount, read_number
from lendingadmin.sandbox.rules.contract import LATE, build_contract
from lendingadmin.sandbox.rules.instants import read_days, read_timestamp
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.terms import MOST_INSTALMENTS, plan_for, read_fees, section


class Opening(NamedTuple):
    """A contract made whole, with the account that follows from it."""

    contract: dict[str, Any]
    lines: list[Line]
    arrears: Arrears
    principal: Decimal
    maturity: datetime


def open_account(
    product: Product, posted: Mapping[str, Any], amount: Decimal | None, start: date
) -> Opening:
    """The account of a posted contract (Spec: Loans, Create).

    A contract with instalments is taken as it is, to the last key. One without gets them, and
    everything that follows from them, computed from its terms and its product; keys of its own
    that the service does not compute are kept. Raises Invalid, naming the field.
    """
    contract = dict(posted)
    if not contract.get("installments"):
        begin = contract.get("startDate")
        first = start if begin is None else read_timestamp(begin, "contract.startDate").date()
        contract |= build_contract(plan_for(product, posted, amount, first))
    lines = read_lines(contract.get("installments"))
    principal = sum((line.owed[KINDS.index("principal")] for line in lines), ZERO)
    _agree(principal, amount, contract)
    return Opening(
        contract, lines, read_arrears(contract), principal, max(line.due for line in lines)
    )


def read_lines(installments: object) -> list[Line]:
    """The account's lines from a contract's instalments; raises Invalid, naming the field."""
    if not isinstance(installments, list) or not 1 <= len(installments) <= MOST_INSTALMENTS:
        raise Invalid(
            "contract.installments", f"must be an array of at most {MOST_INSTALMENTS} instalments"
        )
    return [_line(place, one) for place, one in enumerate(installments)]


def _line(place: int, installment: object) -> Line:
    field = f"contract.installments[{place}]"
    if not isinstance(installment, Mapping):
        raise Invalid(field, "must be an object")
    amounts = section(installment, "amounts", f"{field}.amounts")
    due = read_timestamp(installment.get("dueDate"), f"{field}.dueDate")
    begin = installment.get("startDate", installment["dueDate"])
    start = read_timestamp(begin, f"{field}.startDate")
    if start > due:
        raise Invalid(f"{field}.dueDate", "must not be before its startDate")
    owed = [read_amount(amounts.get(kind, 0), f"{field}.amounts.{kind}") for kind in KINDS]
    return Line(place + 1, start, due, owed)


def read_arrears(contract: Mapping[str, Any]) -> Arrears:
    """What lateness costs under a contract; nothing where its terms do not say. Raises Invalid."""
    terms = section(contract, "terms", "contract.terms")
    penalty = section(terms, "penalty", "contract.terms.penalty")
    rate, grace = penalty.get("rate"), penalty.get("gracePeriod")
    field = "contract.terms.penalty"
    share = Decimal(0) if rate is None else read_number(rate, f"{field}.rate")
    if not 0 <= share <= 1:
        raise Invalid(f"{field}.rate", "must be a fraction between 0 and 1")
    days = 0 if grace is None else read_days(grace, f"{field}.gracePeriod")
    late = sum((fee.value for fee in read_fees(terms) if fee.kind == LATE), Decimal(0))
    return Arrears(share, timedelta(days=days), late)


def _agree(principal: Decimal, amount: Decimal | None, contract: Mapping[str, Any]) -> None:
    if principal <= 0:
        raise Invalid("contract.installments", "must repay a principal above zero")
    if amount is not None and amount != principal:
        raise Invalid("loanAmount", f"must be the principal of the instalments, {principal}")
    stated = section(contract, "amounts", "contract.amounts").get("principal")
    if stated is not None and read_number(stated, "contract.amounts.principal") != principal:
        raise Invalid(
            "contract.amounts.principal", f"must be the principal of the instalments, {principal}"
        )
