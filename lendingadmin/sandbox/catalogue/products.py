"""Lending products of the project (Spec: LendingProduct). Rates are yearly fractions."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

from lendingadmin.sandbox.rules.contract import DEDUCTED, LATE, Fee
from lendingadmin.sandbox.rules.ids import PROJECT
from lendingadmin.sandbox.rules.instants import write_days
from lendingadmin.sandbox.rules.schedule import Style
from lendingadmin.sandbox.schemas.answers import (
    Adjusted,
    Charge,
    LendingProduct,
    LendingTerms,
    ProductInterest,
)

_FIRST_OFFERED = datetime(2024, 1, 15, 8, tzinfo=UTC)


class Product(NamedTuple):
    """A product. Some of its terms are only in its contracts, not in its document.

    These terms are the penalty, the grace period and the APR limit. `floor` is the smallest amount
    of an offer. `categories` are the categories of borrowers who may have the product.
    """

    product_id: str
    style: Style
    display_name: str
    description: str
    period_days: int
    interval_days: int
    base_rate: Decimal
    risk_premium_rate: Decimal
    max_aer: Decimal
    max_apr: Decimal
    fees: tuple[Fee, ...]
    penalty_rate: Decimal
    grace_days: int
    floor: Decimal
    sku_id: str | None = None
    active: bool = True
    categories: tuple[str, ...] = ("individual", "company")

    @property
    def name(self) -> str:
        """The full resource name of the product."""
        return f"projects/{PROJECT}/products/{self.product_id}"

    @property
    def uid(self) -> UUID:
        """Uid of the product. It is the same on every machine."""
        return uuid5(NAMESPACE_URL, self.name)


def _take_share(share: str) -> Fee:
    text = "Taken from the amount that is paid out."
    return Fee(DEDUCTED, Decimal(share), "Processing fee", text)


def _charge_late(share: str) -> Fee:
    return Fee(LATE, Decimal(share), "Late payment fee", "Charged once on an overdue instalment.")


def _ask_service(share: str) -> Fee:
    return Fee("service_fee", Decimal(share), "Service fee", "Asked for with the first instalment.")


PRODUCTS: tuple[Product, ...] = (
    Product(
        "term-6-months", Style.TERM, "Six-month loan", "Six equal monthly instalments.",
        180, 30, Decimal("0.24"), Decimal("0.06"), Decimal("0.45"), Decimal("0.95"),
        (_take_share("0.025"), _charge_late("0.01")), Decimal("0.03"), 5, Decimal(100), "TERM6",
    ),
    Product(
        "term-12-months", Style.TERM, "One-year loan", "Twelve equal monthly instalments.",
        360, 30, Decimal("0.21"), Decimal("0.05"), Decimal("0.40"), Decimal("0.80"),
        (_take_share("0.02"), _ask_service("0.005"), _charge_late("0.01")),
        Decimal("0.025"), 5, Decimal(500), "TERM12",
    ),
    Product(
        "business-24-months", Style.TERM, "Business loan", "For companies: two years, monthly.",
        720, 30, Decimal("0.16"), Decimal("0.03"), Decimal("0.30"), Decimal("0.60"),
        (_take_share("0.015"),), Decimal("0.02"), 10, Decimal(1000), "BIZ24",
        categories=("company",),
    ),
    Product(
        "flex-weekly", Style.FLEX, "Weekly flex", "Twelve weeks, instalments that fall.",
        84, 7, Decimal("0.36"), Decimal("0.08"), Decimal("0.75"), Decimal("1.20"),
        (_ask_service("0.02"), _charge_late("0.015")), Decimal("0.05"), 2, Decimal(50),
    ),
    Product(
        "flex-salary", Style.FLEX, "Salary flex", "Three monthly parts after payday.",
        90, 30, Decimal("0.30"), Decimal("0.06"), Decimal("0.60"), Decimal("1.10"),
        (_take_share("0.03"),), Decimal("0.04"), 3, Decimal(100), "SALARY",
        categories=("individual",),
    ),
    Product(
        "bullet-30-days", Style.BULLET, "Thirty-day loan", "Everything back after thirty days.",
        30, 30, Decimal("0.60"), Decimal("0.12"), Decimal("1.20"), Decimal("1.80"),
        (_take_share("0.04"), _charge_late("0.02")), Decimal("0.06"), 3, Decimal(10), "B30",
    ),
    Product(
        "bullet-14-days", Style.BULLET, "Two-week loan", "No longer offered; contracts run on.",
        14, 14, Decimal("0.72"), Decimal("0.10"), Decimal("1.50"), Decimal("2.40"),
        (_take_share("0.03"),), Decimal("0.06"), 1, Decimal(10), None, active=False,
    ),
)  # fmt: skip


def find_product(key: str) -> Product | None:
    """Return the product with this productId or uid; None if there is none."""
    return next((one for one in PRODUCTS if key in (one.product_id, str(one.uid))), None)


def answer_products() -> list[LendingProduct]:
    """Return the products as the service lists them, sorted by display priority."""
    return [
        LendingProduct.read(
            product,
            status=1 if product.active else 2,
            created_at=_FIRST_OFFERED,
            product_type=product.style.value,
            display_priority=priority,
            labels=None,
            terms=_build_terms(product),
            charges=[_build_charge(fee) for fee in product.fees],
        )
        for priority, product in enumerate(PRODUCTS, start=1)
    ]


def _build_terms(product: Product) -> LendingTerms:
    return LendingTerms(
        period=write_days(product.period_days),
        repayment_interval=write_days(product.interval_days),
        interest=ProductInterest(
            type="reducing_balance",
            term_period="365 days",
            base_rate=product.base_rate,
            max_effective_rate=product.max_aer,
            risk_premium_rate=product.risk_premium_rate,
            adjustment=Adjusted(action="add", target="base_rate", value_type="absolute"),
        ),
    )


def _build_charge(fee: Fee) -> Charge:
    deducted = fee.kind == DEDUCTED
    return Charge.read(
        fee,
        name=f"charges/{fee.kind}",
        action="deduct" if deducted else "add",
        target="disbursement" if deducted else "installment",
        value_type="ratio",
    )
