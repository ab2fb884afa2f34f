"""Preview of the contracts for an offer (Spec: Borrowers, GetOfferContracts)."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.catalogue.products import Product
from lendingadmin.sandbox.rules.contract import build_contract
from lendingadmin.sandbox.rules.invalid import RuleBroken
from lendingadmin.sandbox.rules.opening import build_plan


class Offered(NamedTuple):
    """A product in an offer summary.

    The premium is a yearly fraction; None means the premium of the product.
    """

    product: Product
    risk_premium_rate: Decimal | None


def build_previews(
    offered: Sequence[Offered],
    credit_limit: Decimal,
    waiver_rate: Decimal,
    amount: Decimal,
    start: date,
) -> list[dict[str, Any]]:
    """Return a contract for each product, in the order of the products, that begins on `start`.

    Raise RuleBroken if the amount is above the credit limit, or if a product is no longer offered
    or has a floor above the amount.
    """
    if amount > credit_limit:
        raise RuleBroken(f"amount: {amount} is above the credit limit of {credit_limit}")
    return [_build_preview(one, waiver_rate, amount, start) for one in offered]


def _build_preview(
    one: Offered, waiver_rate: Decimal, amount: Decimal, start: date
) -> dict[str, Any]:
    product = one.product
    if not product.active:
        raise RuleBroken(f"offerSummary.products: {product.product_id} is no longer offered")
    if amount < product.floor:
        raise RuleBroken(
            f"amount: {amount} is under the floor of {product.product_id}, {product.floor}"
        )
    plan = build_plan(product, {}, amount, start)
    premium = one.risk_premium_rate
    return build_contract(
        plan._replace(
            risk_premium_rate=plan.risk_premium_rate if premium is None else premium,
            waiver_rate=waiver_rate,
        )
    )
