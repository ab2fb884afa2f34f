"""Recognise numbers, and write them as text."""

from decimal import Decimal

from lendingadmin.lending.values import Malformed

from .locales import DEFAULT_LOCALE, write_number

MISSING = "—"
MINUS = "\N{MINUS SIGN}"
# A number with more digits than this is not legible, so it is shown as received.
_LEGIBLE_DIGITS = 40


def number(value: object) -> Decimal | None:
    """Return the value as a Decimal if it is a finite number of readable length, else None.

    Booleans are not numbers. Floats are refused, because digits may already be lost.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = Decimal(value) if abs(value) < 10**_LEGIBLE_DIGITS else None
    if not isinstance(value, Decimal) or not value.is_finite():
        return None
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or abs(exponent) > _LEGIBLE_DIGITS:
        return None
    return value if len(digits) <= _LEGIBLE_DIGITS else None


def as_it_came(value: object) -> str:
    """Write a value that is not a number: a missing value as a dash, others as received."""
    if value is None or value == "":
        return MISSING
    try:
        return str(Malformed(value) if isinstance(value, dict | list) else value)
    except Exception:  # a foreign __str__ must not take the page down with it
        return MISSING


def decimals_of(value: Decimal) -> int:
    """Count the decimals without trailing zeros: 1.50 has one, 2 and 1E+3 have none."""
    text = format(value, "f")
    return len(text.partition(".")[2].rstrip("0"))


def grouped(value: Decimal, decimals: int, locale: str = DEFAULT_LOCALE) -> str:
    """Write a number in groups, with exactly `decimals` decimals and a real minus sign."""
    if locale == DEFAULT_LOCALE:
        # Most people use this locale. Babel takes ten times as long, and a list has hundreds of
        # numbers.
        text = format(value.copy_abs(), f",.{decimals}f")
    else:
        text = write_number(value.copy_abs(), decimals, locale)
    return f"{MINUS}{text}" if value < 0 else text


def whole(count: int, locale: str = DEFAULT_LOCALE) -> str:
    """Write a count in groups: `4,812`."""
    return grouped(Decimal(count), 0, locale)
