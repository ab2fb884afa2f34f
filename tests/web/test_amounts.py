"""Amounts in forms: read as people write them, and what has two readings is refused with both."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django import forms
from django.utils import translation
from django.utils.translation import gettext

from lendingadmin.web.fields import AmountField

DIGITS = "Enter the amount in digits, such as 3500 or 1234.50."


class Form(forms.Form):
    amount = AmountField(max_digits=15, decimal_places=3, help_text="The principal.")

    def __init__(self, *args: object, currency: str = "KES", **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.fields["amount"].currency = currency  # type: ignore[attr-defined]


@pytest.fixture(params=["en", "sw", "fr"])
def locale(request: pytest.FixtureRequest) -> Iterator[str]:
    with translation.override(request.param):
        yield request.param


def outcome(text: str, currency: str = "KES") -> Decimal | str:
    form = Form({"amount": text}, currency=currency)
    return form.cleaned_data["amount"] if form.is_valid() else form.errors["amount"][0]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1234.50", "1234.50"),
        ("1234.5", "1234.5"),
        ("1234", "1234"),
        ("0.125", "0.125"),
        ("01.500", "1.500"),
        ("1234.500", "1234.500"),
        (" 12.5 ", "12.5"),
        ("1.234,50", "1234.50"),
        ("1,234.50", "1234.50"),
        ("1234,50", "1234.50"),
        ("1 234", "1234"),
        ("1'234", "1234"),
        ("1.234.567", "1234567"),
        ("KES 3500", "3500"),
        ("3500/=", "3500"),
    ],
)
def test_what_everybody_may_write(locale: str, text: str, amount: str) -> None:
    assert outcome(text) == Decimal(amount)


@pytest.mark.parametrize("text", ["1e3", "-5", "+5", "١٢", "12.", "NaN", "a lot"])
def test_what_nobody_may_write(locale: str, text: str) -> None:
    assert outcome(text) == gettext(DIGITS)


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("1.500", "1500", "1.50"),
        ("12.000", "12000", "12.00"),
        ("999.999", "999999", "0999.999"),
    ],
)
def test_what_has_two_readings_is_refused_with_both(
    locale: str, text: str, one: str, other: str
) -> None:
    asked = gettext("“%(text)s” can mean %(one)s or %(other)s. Enter the amount that you mean.")
    assert outcome(text) == asked % {"text": text, "one": one, "other": other}
    # Both are ways out.
    assert outcome(one) == Decimal(text.replace(".", ""))
    assert outcome(other) == Decimal(text)


def test_a_comma_is_read_as_thousands_by_those_who_write_it_so(locale: str) -> None:
    if locale in ("en", "sw"):
        assert outcome("3,500") == 3500
    else:
        said = str(outcome("3,500"))
        assert "3500" in said and "3.50" in said


def test_another_currency_is_refused_in_words() -> None:
    assert outcome("USD 5").endswith("the amount in KES. “USD” is the sign of another currency.")
    assert outcome("USD 5", "USD") == 5
    assert outcome("USD 5", "") == DIGITS


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("1.234", "01.234"),
        ("01.234", "01.234"),
        ("1234.5", "1234.5"),
        (5, "5"),
        (Decimal("1.234"), "01.234"),
        (Decimal("950.250"), "950.25"),
        (Decimal("12.500"), "12.50"),
        (Decimal("7.000"), "7"),
        (Decimal("1E+3"), "1000"),
    ],
)
def test_what_is_filled_in_beforehand_is_accepted_as_it_stands(
    locale: str, given: object, shown: str
) -> None:
    assert str(Form(initial={"amount": given})["amount"].value()) == shown
    assert outcome(shown) == Decimal(str(given))


def test_nothing_filled_in_is_nothing() -> None:
    assert Form()["amount"].value() is None


def test_what_was_typed_is_shown_again_as_it_was_typed(locale: str) -> None:
    assert Form({"amount": "1.234"}, initial={"amount": "5.678"})["amount"].value() == "1.234"


def test_a_browser_does_not_take_it_for_a_number_before_it_is_read() -> None:
    drawn = str(Form()["amount"])
    assert 'type="text"' in drawn and 'inputmode="decimal"' in drawn and "step" not in drawn
