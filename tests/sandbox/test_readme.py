"""The sandbox's README keeps to what is there."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

import lendingadmin.sandbox
from lendingadmin.sandbox.catalogue.products import PRODUCTS, Product
from lendingadmin.sandbox.rules.offers import BANDS, Holder, Offer, make_offer
from lendingadmin.sandbox.rules.scoring import AUTHORIZED, Outcome

HOUSE = Path(lendingadmin.sandbox.__file__).parent
TESTS = Path(__file__).parent
README = (HOUSE / "README.md").read_text()
MAPPED = [
    line.split("|")[1:4] for line in README.splitlines() if re.match(r"\|.*`.*test_\w+", line)
]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


@pytest.mark.parametrize(("line", "where", "tests"), MAPPED, ids=lambda text: str(text).strip())
def test_what_the_mapping_names_is_there(line: str, where: str, tests: str) -> None:
    for name in re.findall(r"`([\w/]+\.\w+)", where):
        assert (HOUSE / name).is_file(), name
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", tests)
    assert named
    for file, function in named:
        assert f"def {function}" in (TESTS / file).read_text(), (file, function)


def test_the_mapping_is_read_at_all() -> None:
    assert len(MAPPED) > 30


def test_the_rows_of_offers_are_the_rules() -> None:
    rows = re.findall(r"^ +(\|.* days \|)$", README, re.MULTILINE)
    assert len(rows) == len(BANDS)
    for row, band in zip(rows, BANDS, strict=True):
        score, starter, income, repaid, premium, waiver, longest = cells(row)
        assert score.startswith(("below", str(band.least_score)))
        assert [Decimal(text) for text in (starter, income, repaid, premium, waiver)] == [
            band.starter, band.of_income, band.of_repaid, band.premium, band.waiver,
        ]  # fmt: skip
        assert longest == f"{band.longest} days"


def test_the_example_of_an_offer_is_the_rules() -> None:
    outcome = Outcome(AUTHORIZED, None, None, None, "low", 33, 700, "B", "8000", "5000")
    found = make_offer(outcome, Holder("individual", Decimal(1230)), PRODUCTS)
    assert isinstance(found, Offer)
    assert f"{found.credit_limit:,.0f}." in README
    premium = dict(found.products)["term-6-months"]
    assert Decimal("0.24") + premium - found.waiver == Decimal("0.29")


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.product_id)
def test_the_products_are_the_catalogues(product: Product) -> None:
    rows = [cells(row) for row in README.splitlines() if row.startswith("| `")]
    shown = {row[0].strip("`"): row[1:] for row in rows if len(row) == 4}
    days, floor, to = shown[product.product_id]
    assert (days, floor) == (str(product.period_days), f"{product.floor:,}")
    plural = {"individual": "individuals", "company": "companies"}
    offered = ", ".join(plural[one] for one in product.categories)
    assert to == (offered if product.active else "nobody any more")
