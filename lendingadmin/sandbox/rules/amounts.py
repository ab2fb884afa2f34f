"""Amounts of money: Decimals with at most two decimals, never floats."""

from decimal import ROUND_HALF_UP, Decimal

from lendingadmin.sandbox.rules.invalid import Invalid

CENT = Decimal("0.01")
ZERO = Decimal("0.00")
_DIGITS = 15  # before the point: much larger than any loan, much less than a Decimal can have


def round_cents(value: Decimal) -> Decimal:
    """Return a value rounded to the cent; half a cent is rounded away from zero."""
    return value.quantize(CENT, ROUND_HALF_UP)


def read_number(value: object, field: str) -> Decimal:
    """Read a JSON number (never text, never a boolean) below 10^15; else raise Invalid."""
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        raise Invalid(field, "must be a JSON number")
    number = Decimal(value)
    if not number.is_finite() or (number and number.adjusted() >= _DIGITS):
        raise Invalid(field, f"must be below 10^{_DIGITS}")
    return number if number and number.adjusted() > -_DIGITS else Decimal(0)


def read_amount(value: object, field: str) -> Decimal:
    """Read an amount of money, zero or more, with at most two decimals; else raise Invalid."""
    number = read_number(value, field)
    if number < 0:
        raise Invalid(field, "must not be negative")
    rounded = round_cents(number)
    if rounded != number:
        raise Invalid(field, "must have at most two decimals")
    return rounded


def read_positive_amount(value: object, field: str) -> Decimal:
    """Read an amount of money above zero; else raise Invalid."""
    amount = read_amount(value, field)
    if amount == 0:
        raise Invalid(field, "must be more than zero")
    return amount
