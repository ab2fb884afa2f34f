"""Money as text: the currency's own decimals, every digit that came, and nothing that breaks."""

from decimal import Decimal

import pytest

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display.money import compact, currency_decimals, figure, money

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        # the currency's own decimals
        (Decimal("4412.75"), "KES", "4,412.75"),
        (Decimal("4412.7"), "KES", "4,412.70"),
        (Decimal("4412"), "KES", "4,412.00"),
        (Decimal("4412.00"), "JPY", "4,412"),
        (Decimal("4412"), "UGX", "4,412"),
        (Decimal("4412.5"), "KWD", "4,412.500"),
        (30000, "GHS", "30,000.00"),
        # no digit that came is hidden, none is made up
        (Decimal("0.12345"), "KES", "0.12345"),
        (Decimal("4412.5"), "JPY", "4,412.5"),
        (Decimal("4412.7500"), "KES", "4,412.75"),
        (Decimal("1E+5"), "KES", "100,000.00"),
        (Decimal("1E-7"), "KES", "0.0000001"),
        (Decimal("123456789012.50"), "KES", "123,456,789,012.50"),
        (
            Decimal("1234567890123456789012345678.91"),
            "KES",
            "1,234,567,890,123,456,789,012,345,678.91",
        ),
        # below zero, and zero that only looks so
        (Decimal("-4412.75"), "KES", f"{MINUS}4,412.75"),
        (Decimal("-0.00"), "KES", "0.00"),
        (Decimal("-0.001"), "KES", f"{MINUS}0.001"),
        (Decimal(0), "KES", "0.00"),
        # a currency nobody knows, or none
        (Decimal("5"), "ZZZ", "5.00"),
        (Decimal("5"), "", "5.00"),
        (Decimal("5"), None, "5.00"),
        # no amount
        (None, "KES", "—"),
        ("", "KES", "—"),
        ("12.50", "KES", "12.50"),
        ("a lot", "KES", "a lot"),
        (True, "KES", "True"),
        (12.5, "KES", "12.5"),
        (Decimal("NaN"), "KES", "NaN"),
        (Decimal("Infinity"), "KES", "Infinity"),
        (Decimal("1E+999999"), "KES", "1E+999999"),
        (10**50, "KES", str(10**50)),
        (Malformed("ten"), "KES", "ten"),
    ],
)
def test_figure(amount: object, currency: object, text: str) -> None:
    assert figure(amount, currency) == text


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (Decimal("4412.75"), "KES", "KES 4,412.75"),
        (Decimal("-4412.75"), "KES", f"KES {MINUS}4,412.75"),
        (Decimal("4412.75"), "", "4,412.75"),
        (Decimal("4412.75"), None, "4,412.75"),
        (None, "KES", "—"),
        ("free", "KES", "free"),
        (Malformed({"a": 1}), "KES", str(Malformed({"a": 1}))),
    ],
)
def test_money(amount: object, currency: object, text: str) -> None:
    assert money(amount, currency) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        *((Decimal(4000), "4K"), (Decimal(1500000), "1.5M"), (Decimal(200), "200"), (None, "—")),
        (Decimal("9" * 40), f"1{'0' * 28}T"),
    ],
)
def test_compact(amount: object, text: str) -> None:
    assert compact(amount) == text


def test_decimals_come_from_the_currency() -> None:
    assert [currency_decimals(code) for code in ("KES", "JPY", "KWD", None)] == [2, 0, 3, 2]


class Hostile:
    """A value whose own words fail."""

    def __str__(self) -> str:
        raise RuntimeError


def test_nothing_raises() -> None:
    assert money(Hostile(), Hostile()) == "—"
