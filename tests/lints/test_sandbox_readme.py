"""The sandbox's README keeps to what is there."""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

import lendingadmin.sandbox
from lendingadmin.sandbox.catalogue.products import PRODUCTS, Product
from lendingadmin.sandbox.rules.offers import BANDS, Holder, Offer, make_offer
from lendingadmin.sandbox.rules.scoring import AUTHORIZED, Outcome

HOUSE = Path(lendingadmin.sandbox.__file__).parent
TESTS = Path(__file__).parents[1] / "sandbox"
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
    named = re.findall(r"`([\w./]+\.py)(?:::(\w+))?`", tests)
    assert named
    for file, function in named:
        assert f"def {function}(" in (TESTS / file).read_text(), (file, function)


def test_the_mapping_is_read_at_all() -> None:
    assert len(MAPPED) > 120


def test_nothing_of_the_spec_is_left_out_of_the_mapping() -> None:
    lines = " ".join(line for line, _, _ in MAPPED)
    table = csv.DictReader((TESTS.parent / "operations.csv").open())
    wanted = [f"`{row['operation']}`" for row in table]
    wanted += [f"Rules that hold {number}" for number in range(1, 5)]
    wanted += [f"Errors {status}" for status in (400, 401, 404, 409)]
    wanted += [f"Borrowers {number}" for number in range(1, 6)]
    wanted += [f"Events {number}" for number in range(1, 7) if number != 5]
    wanted += [f"Versioning {number}" for number in range(1, 4)]
    wanted += [f"Using the token {number}" for number in range(1, 4)]
    wanted += [
        "maximum page size", "default page size", "event data size", "getOffers duration",
        "assessment processing", "assessment evaluation window", "SMS data age",
    ]  # fmt: skip
    assert [one for one in wanted if one not in lines] == []


def test_each_line_has_a_test_of_its_name() -> None:
    """And each test of `test_spec_lines.py` is in the mapping."""
    source = (TESTS / "test_spec_lines.py").read_text()
    mapped = {name for _, _, tests in MAPPED for name in re.findall(r"spec_lines.py::(\w+)", tests)}
    assert set(re.findall(r"^def (test_\w+)", source, re.MULTILINE)) == mapped


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
    assert to == (offered if product.active else "no longer offered")
