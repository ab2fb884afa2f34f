"""Rates: fractions on the wire (spec: Conventions), per cent on the screen."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

from lendingadmin.display.numbers import as_it_came, decimals_of, grouped, number

_WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)


def rate(value: object) -> str:
    """Write a fraction as per cent with tidy digits: 0.4263127 is `42.6 %`, 0.0125 is `1.25 %`.

    One decimal from 10 % up, two below, and two significant digits below 0.1 %, so that no rate
    but zero ever reads as zero.
    """
    fraction = number(value)
    if fraction is None:
        return as_it_came(value)
    percent = _percent(fraction)
    rounded = _tidy(percent)
    return f"{grouped(rounded, decimals_of(rounded))} %"


def exact_rate(value: object) -> str:
    """Write a fraction as per cent with every digit that came, for the hover."""
    fraction = number(value)
    if fraction is None:
        return as_it_came(value)
    percent = _percent(fraction)
    return f"{grouped(percent, decimals_of(percent))} %"


def _percent(fraction: Decimal) -> Decimal:
    return _WIDE.multiply(fraction, Decimal(100))


def _tidy(percent: Decimal) -> Decimal:
    size = abs(percent)
    if size >= 10:
        decimals = 1
    elif size >= Decimal("0.1") or not size:
        decimals = 2
    else:
        decimals = 1 - size.adjusted()
    return _WIDE.quantize(percent, Decimal(1).scaleb(-decimals))
