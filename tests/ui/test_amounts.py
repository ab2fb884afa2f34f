"""Amounts as people type them: one form for all, and none is guessed."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django import forms

from lendingadmin.display.formats import Formats, use_formats
from lendingadmin.ui.fields import AmountField


class Form(forms.Form):
    amount = AmountField(max_digits=15, decimal_places=3, help_text="The principal.")


@pytest.fixture(params=["en", "en-IN", "de-CH", "de", "fr", "en-ZA"])
def locale(request: pytest.FixtureRequest) -> Iterator[str]:
    with use_formats(lambda: Formats(request.param)):
        yield request.param


def outcome(text: str) -> Decimal | str:
    form = Form({"amount": text})
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
    ],
)
def test_what_everybody_may_write(locale: str, text: str, amount: str) -> None:
    assert outcome(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    [
        "1.234,50",
        "1,234.50",
        "1234,50",
        "1 234",
        "1'234",
        "1e3",
        "-5",
        "+5",
        "١٢",
        "1.234.567",
        "12.",
    ],
)
def test_what_nobody_may_write(locale: str, text: str) -> None:
    assert outcome(text) == (
        "Write digits only, with a point for decimals and nothing between thousands."
    )


@pytest.mark.parametrize("text", ["1.500", "12.000", "999.999"])
def test_what_can_be_read_in_two_ways_is_refused_where_it_can(locale: str, text: str) -> None:
    if locale in ("de", "fr", "en-ZA"):
        told = outcome(text)
        assert isinstance(told, str) and f"“{text}” can be read in two ways" in told
        assert f"Write {text.replace('.', '')} without a point" in told and f"0{text}" in told
        # Both ways out that the sentence names are ways out.
        assert outcome(text.replace(".", "")) == Decimal(text.replace(".", ""))
        assert outcome(f"0{text}") == Decimal(text)
    else:
        assert outcome(text) == Decimal(text)


def test_the_hint_says_which_form_it_is_to_those_who_write_another(locale: str) -> None:
    drawn = Form()["amount"].help_text
    hint = "With a point for decimals and nothing between thousands: 1234.50."
    assert drawn == (
        f"The principal. {hint}" if locale in ("de", "fr", "en-ZA") else "The principal."
    )


def test_one_persons_hint_is_not_anothers() -> None:
    with use_formats(lambda: Formats("de")):
        assert "1234.50" in Form()["amount"].help_text
    assert Form()["amount"].help_text == "The principal."


@pytest.mark.parametrize(
    "given", ["1.234", Decimal("12.500"), "01.234", "1234.5", Decimal(7), Decimal("1E+3"), 5]
)
def test_what_is_filled_in_beforehand_is_accepted_as_it_stands(locale: str, given: object) -> None:
    shown = str(Form(initial={"amount": given})["amount"].value())
    assert outcome(shown) == Decimal(str(given))
    plain = f"{Decimal(str(given)):f}" if isinstance(given, Decimal) else str(given)
    assert shown == plain or (shown == f"0{plain}" and locale in ("de", "fr", "en-ZA"))


def test_nothing_filled_in_is_nothing() -> None:
    assert Form()["amount"].value() is None


def test_what_was_typed_is_shown_again_as_it_was_typed(locale: str) -> None:
    assert Form({"amount": "1.234"}, initial={"amount": "5.678"})["amount"].value() == "1.234"
