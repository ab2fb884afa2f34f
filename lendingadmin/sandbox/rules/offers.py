"""Offers to a borrower, from the outcome of an assessment (Spec: GetOffersResponse).

README.md, “How offers are made”, describes the same rules.
"""

from collections.abc import Iterable
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from lendingadmin.sandbox.catalogue.products import Product
from lendingadmin.sandbox.rules.amounts import ZERO, round_cents
from lendingadmin.sandbox.rules.scoring import Outcome

HIGHEST_LIMIT = Decimal(10_000_000)
STEP = Decimal(10)  # limits are multiples of ten
USED_UP = "limit_used_up"


class Band(NamedTuple):
    """Terms of offers for a score.

    The limit is the largest of these amounts: `starter`, `of_income` × the money received in a
    month, and `of_repaid` × the largest repaid loan. The risk premium is `premium` × that of the
    product. `waiver` is a yearly fraction. Only products of at most `longest` days are offered.
    """

    least_score: int
    starter: Decimal
    of_income: Decimal
    of_repaid: Decimal
    premium: Decimal
    waiver: Decimal
    longest: int


# The best band is first. Each value of a later band is the same or worse for the borrower.
BANDS = (
    Band(750, Decimal(500), Decimal("1.00"), Decimal("2.00"), Decimal("0.5"), Decimal("0.02"), 720),
    Band(650, Decimal(300), Decimal("0.60"), Decimal("1.50"), Decimal("1.0"), Decimal("0.01"), 720),
    Band(550, Decimal(200), Decimal("0.40"), Decimal("1.25"), Decimal("1.5"), Decimal(0), 180),
    Band(0, Decimal(100), Decimal("0.20"), Decimal("1.00"), Decimal("2.0"), Decimal(0), 90),
)


class Holder(NamedTuple):
    """Data about the borrower at the time of the request: the category and the total debt."""

    category: str
    owed: Decimal


class Offer(NamedTuple):
    """Products with their risk premiums, up to a limit. Rates are yearly fractions."""

    credit_limit: Decimal
    products: tuple[tuple[str, Decimal], ...]
    waiver: Decimal


class NoOffer(NamedTuple):
    """Reason why nothing is offered: a word for programs and a sentence for people."""

    reason: str
    message: str


def make_offer(outcome: Outcome, holder: Holder, products: Iterable[Product]) -> Offer | NoOffer:
    """Return the offer for an outcome, with the suitable products; or the reason for no offer."""
    if not outcome.is_authorized or outcome.credit_score is None:
        reason = outcome.reason or outcome.type
        return NoOffer(reason, outcome.message or "The assessment does not allow an offer.")
    band = next(one for one in BANDS if outcome.credit_score >= one.least_score)
    limit = compute_limit(band, outcome, holder.owed)
    offered = tuple(
        (one.product_id, one.risk_premium_rate * band.premium)
        for one in products
        if _is_for(one, holder.category) and one.floor <= limit and one.period_days <= band.longest
    )
    if not offered:
        return NoOffer(
            USED_UP, f"What is owed, {round_cents(holder.owed)}, takes up the credit limit."
        )
    return Offer(limit, offered, band.waiver)


def compute_limit(band: Band, outcome: Outcome, owed: Decimal) -> Decimal:
    """Return the amount that may still be lent: the limit minus debts, rounded down to tens."""
    most = max(
        band.starter,
        band.of_income * Decimal(outcome.money_in_a_month),
        band.of_repaid * Decimal(outcome.largest_repaid),
    )
    left = max(ZERO, min(most, HIGHEST_LIMIT) - owed)
    return round_cents((left / STEP).to_integral_value(ROUND_DOWN) * STEP)


def _is_for(product: Product, category: str) -> bool:
    return product.active and category in product.categories
