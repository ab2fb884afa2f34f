"""Previews of contracts against a table and against formulas that share no code with them.

The figures of the table came from `textbook.py`, where the source of each formula stands, and can
be worked out in a spreadsheet (PMT, IRR, XIRR) from the columns on their left.
"""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.catalogue.products import PRODUCTS, Product
from lendingadmin.sandbox.rules.invalid import RuleBroken
from lendingadmin.sandbox.rules.previews import Offered, build_previews
from tests.sandbox.rules import textbook

D = Decimal
START = date(2026, 3, 1)
BY_ID = {product.product_id: product for product in PRODUCTS}
CURRENT = [product for product in PRODUCTS if product.active]
LIMIT = D(10) ** 9


class Known(NamedTuple):
    """A product's figures, written out here from the catalogue's page, and how it repays."""

    repays: Any
    count: int
    days: int
    base: str
    deducted: str = "0"
    first_fee: str = "0"


KNOWN = {
    "term-6-months": Known(textbook.annuity, 6, 30, "0.24", "0.025"),
    "term-12-months": Known(textbook.annuity, 12, 30, "0.21", "0.02", "0.005"),
    "business-24-months": Known(textbook.annuity, 24, 30, "0.16", "0.015"),
    "flex-weekly": Known(textbook.equal_parts, 12, 7, "0.36", "0", "0.02"),
    "flex-salary": Known(textbook.equal_parts, 3, 30, "0.30", "0.03"),
    "bullet-30-days": Known(textbook.simple, 1, 30, "0.60", "0.04"),
}

# product, amount, premium, waiver | paid out, first, second and last payment, interest in all |
# periodic rate, AER, APR
TABLE = [
    ("term-6-months", "1000", "0.06", "0",
     "975.00", "181.34", "181.34", "181.35", "88.05", "0.024658", "0.344956", "0.392669"),
    ("term-6-months", "12345.67", "0.03", "0.02",
     "12037.03", "2208.10", "2208.10", "2208.09", "902.92", "0.020548", "0.280776", "0.341992"),
    ("term-6-months", "100", "0.24", "0.24",
     "97.50", "17.84", "17.84", "17.80", "7.00", "0.019726", "0.268282", "0.331382"),
    ("term-12-months", "50000", "0.05", "0.01",
     "49000.00", "4993.90", "4743.90", "4744.00", "6926.90", "0.020548", "0.280776", "0.300285"),
    ("term-12-months", "7777.77", "0.10", "0",
     "7622.21", "799.33", "760.44", "760.37", "1347.44", "0.025479", "0.358141", "0.360949"),
    ("business-24-months", "250000", "0.03", "0",
     "246250.00", "12570.56", "12570.56", "12570.69", "51693.57",
     "0.015616", "0.207475", "0.205933"),
    ("business-24-months", "1000.01", "0", "0.16",
     "985.01", "41.67", "41.67", "41.60", "0.00", "0.000000", "0.000000", "0.014755"),
    ("flex-weekly", "600", "0.08", "0",
     "600.00", "67.06", "54.64", "50.42", "32.91", "0.008438", "0.549843", "0.607308"),
    ("flex-weekly", "999.99", "0.12", "0.05",
     "999.99", "111.58", "90.89", "84.05", "53.60", "0.008247", "0.534549", "0.597159"),
    ("flex-salary", "3000", "0.06", "0",
     "2910.00", "1088.77", "1059.18", "1029.59", "177.54", "0.029589", "0.425862", "0.556527"),
    ("flex-salary", "100.01", "0.09", "0.39",
     "97.01", "33.34", "33.34", "33.33", "0.00", "0.000000", "0.000000", "0.187182"),
    ("bullet-30-days", "500", "0.12", "0",
     "480.00", "529.59", "529.59", "529.59", "29.59", "0.059178", "1.012748", "1.256969"),
    ("bullet-30-days", "10", "0.06", "0.03",
     "9.60", "10.52", "10.52", "10.52", "0.52", "0.051781", "0.848235", "1.165972"),
]  # fmt: skip


def contract(product: Product, amount: Decimal, premium: str = "0", waiver: str = "0") -> Any:
    return build_previews([Offered(product, D(premium))], LIMIT, D(waiver), amount, START)[0]


def payments(found: Any) -> list[Decimal]:
    return [one["amounts"]["repayment"] for one in found["installments"]]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]} {row[1]}")
def test_previews_say_what_the_table_says(row: tuple[str, ...]) -> None:
    product_id, amount, premium, waiver, out, first, second, last, interest, *shown = row
    found = contract(BY_ID[product_id], D(amount), premium, waiver)
    paid = payments(found)
    assert found["amounts"]["disbursement"] == D(out)
    assert [paid[0], paid[min(1, len(paid) - 1)], paid[-1]] == [D(first), D(second), D(last)]
    assert found["amounts"]["interest"] == D(interest)
    rates = found["interestRates"]
    assert [rates["periodicRate"], rates["AER"], rates["APR"]] == [D(one) for one in shown]
    assert rates["APY"] == rates["AER"]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_table_says_what_textbooks_say(row: tuple[str, ...]) -> None:
    product_id, amount, premium, waiver, out, first, second, last, interest, *shown = row
    known, principal = KNOWN[product_id], Fraction(amount)
    nominal = Fraction(known.base) + Fraction(premium) - Fraction(waiver)
    rows = known.repays(principal, nominal * known.days / 365, known.count)
    paid = [part + charge for part, charge in rows]
    paid[0] += textbook.cent(principal * Fraction(known.first_fee))
    received = principal - textbook.cent(principal * Fraction(known.deducted))
    assert received == Fraction(out)
    assert [paid[0], paid[min(1, len(paid) - 1)], paid[-1]] == [
        Fraction(first), Fraction(second), Fraction(last),
    ]  # fmt: skip
    assert sum(charge for _, charge in rows) == Fraction(interest)
    flows = [float(one) for one in paid]
    periodic, aer, apr = map(float, shown)
    assert periodic == pytest.approx(float(nominal) * known.days / 365, abs=6e-7)
    assert aer == pytest.approx(textbook.effective(float(nominal), known.days), abs=6e-7)
    assert apr == pytest.approx(textbook.nominal_apr(float(received), flows, known.days), abs=6e-7)


@given(
    product=st.sampled_from(CURRENT),
    amount=st.decimals("1000", "5000000", places=2),
    premium=st.decimals("0", "0.3", places=3),
    waiver=st.decimals("0", "0.3", places=3),
    start=st.dates(date(1990, 1, 1), date(2190, 1, 1)),
)
def test_any_preview_sums_to_the_cent_and_keeps_its_days(
    product: Product, amount: Decimal, premium: Decimal, waiver: Decimal, start: date
) -> None:
    (found,) = build_previews([Offered(product, premium)], LIMIT, waiver, amount, start)
    amounts, known = found["amounts"], KNOWN[product.product_id]
    parts = [one["amounts"] for one in found["installments"]]
    assert len(parts) == known.count
    assert sum(part["principal"] for part in parts) == amounts["principal"] == amount
    assert sum(part["interest"] for part in parts) == amounts["interest"]
    assert sum(part["repayment"] for part in parts) == amounts["repayment"]
    deducted = sum(one["value"] for one in found["adjustments"])
    assert amounts["disbursement"] == amounts["requested"] - deducted
    assert amounts["fees"] == deducted + sum(part["fees"] for part in parts)
    for place, one in enumerate(found["installments"]):
        assert all(value == round(value, 2) >= 0 for value in one["amounts"].values())
        first = start + timedelta(days=place * known.days)
        last = first + timedelta(days=known.days - 1)
        assert one["startDate"] == f"{first.isoformat()}T00:00:00.000Z"
        assert one["dueDate"] == f"{last.isoformat()}T23:59:59.999Z"
    tranche = {"sequenceNo": 1, "startDate": found["startDate"], "dueDate": found["maturityDate"]}
    assert found["tranches"] == [tranche | {"amount": amount}]


@given(
    product=st.sampled_from(CURRENT),
    amount=st.decimals("1000", "5000000", places=2),
    premium=st.decimals("0", "0.5", places=3),
)
def test_rates_agree_with_the_directive_and_with_each_other(
    product: Product, amount: Decimal, premium: Decimal
) -> None:
    found = contract(product, amount, str(premium))
    rates = {name: float(value) for name, value in found["interestRates"].items()}
    days = KNOWN[product.product_id].days
    received, paid = float(found["amounts"]["disbursement"]), [float(o) for o in payments(found)]
    yearly = textbook.effective_apr(received, paid, days)
    assert textbook.effective(rates["APR"], days) == pytest.approx(yearly, abs=2e-5)
    assert rates["AER"] == pytest.approx(textbook.effective(rates["nominalRate"], days), abs=2e-5)
    assert rates["periodicRate"] == pytest.approx(rates["nominalRate"] * days / 365, abs=1e-6)
    assert rates["APR"] >= rates["nominalRate"] - 1e-3
    assert found["terms"]["interest"]["compoundingPeriod"] == f"{days} days"


def test_there_is_one_contract_for_each_product_in_their_order() -> None:
    offered = [Offered(product, D("0.01")) for product in reversed(CURRENT)]
    found = build_previews(offered, LIMIT, D("0.02"), D(5000), START)
    assert [one["productId"] for one in found] == [one.product.product_id for one in offered]
    for one in found:
        assert one["terms"]["interest"]["riskPremiumRate"] == D("0.01")
        assert one["terms"]["interest"]["waiverRate"] == D("0.02")
    assert build_previews([], LIMIT, D(0), D(1), START) == []


def test_a_product_without_a_premium_in_the_offer_has_its_own() -> None:
    (found,) = build_previews([Offered(CURRENT[0], None)], LIMIT, D(0), D(100), START)
    assert found["terms"]["interest"]["riskPremiumRate"] == CURRENT[0].risk_premium_rate


def test_up_to_the_credit_limit_and_no_further() -> None:
    offered = [Offered(CURRENT[0], None)]
    assert build_previews(offered, D(500), D(0), D(500), START)
    with pytest.raises(RuleBroken, match=r"amount: 500\.01 is above the credit limit of 500"):
        build_previews(offered, D(500), D(0), D("500.01"), START)


@pytest.mark.parametrize("product", CURRENT, ids=lambda product: product.product_id)
def test_from_the_floor_and_not_below(product: Product) -> None:
    assert contract(product, product.floor)
    with pytest.raises(RuleBroken, match=f"under the floor of {product.product_id}"):
        contract(product, product.floor - D("0.01"))


def test_a_product_that_is_no_longer_offered_has_no_preview() -> None:
    with pytest.raises(RuleBroken, match="bullet-14-days is no longer offered"):
        contract(BY_ID["bullet-14-days"], D(100))
