"""Numbers and dates by locale, which is the language of a page, receipt or message.

`DEFAULT_LOCALE` is English with the day first. All others come from Babel's tables, with Latin
digits, because people compare the figures of one page.
"""

from datetime import date
from decimal import Decimal, localcontext
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton
from babel.numbers import (
    NumberPattern,
    format_compact_decimal,
    format_percent,
    get_decimal_symbol,
    get_group_symbol,
    parse_pattern,
)

DEFAULT_LOCALE = "en"
_HOUSE_DAYS = {"yMMMd": "d MMM y", "MMMd": "d MMM"}
_MONTH = "MMM yy"
_WIDEST = 90  # digits: more than any number that is legible


def write_number(value: Decimal, decimals: int, locale: str) -> str:
    """Write a non-negative number in groups, with exactly `decimals` decimals."""
    found, pattern = _number_pattern(locale, decimals)
    with localcontext(prec=_WIDEST):
        return str(pattern.apply(value, found))


def write_percent(fraction: Decimal, locale: str) -> str:
    """Write a fraction that is not negative as per cent, with all its digits: `42,63127 %`."""
    with localcontext(prec=_WIDEST):
        return format_percent(fraction, locale=_find_locale(locale), decimal_quantization=False)


def write_compact(value: Decimal, locale: str) -> str:
    """Write a rounded number: `1.5M`. Only the decimal sign depends on the locale."""
    with localcontext(prec=_WIDEST):
        text = format_compact_decimal(value, locale=DEFAULT_LOCALE, fraction_digits=1)
    return text.replace(".", decimal_sign(locale))


@lru_cache(maxsize=64)
def decimal_sign(locale: str) -> str:
    """Return the sign between the integer part of a number and its decimals."""
    return get_decimal_symbol(_find_locale(locale))


@lru_cache(maxsize=64)
def group_sign(locale: str) -> str:
    """Return the sign between thousands: `,`, `.`, `’`, or a space of some width."""
    return get_group_symbol(_find_locale(locale))


# The rows of a list share their days, and the rules of a locale are slow.
@lru_cache(maxsize=4096)
def write_day(found: date, locale: str, skeleton: str = "yMMMd") -> str:
    """Write a day in full (`yMMMd`) or without its year (`MMMd`)."""
    if locale == DEFAULT_LOCALE:
        return format_date(found, _HOUSE_DAYS[skeleton], locale=DEFAULT_LOCALE)
    return format_skeleton(skeleton, found, locale=_find_locale(locale))


@lru_cache(maxsize=512)
def write_month(found: date, locale: str) -> str:
    """Write a month and its year in short form, for an axis: `Oct 26`."""
    return format_date(found, _MONTH, locale=_find_locale(locale))


@lru_cache(maxsize=64)
def _find_locale(locale: str) -> Locale:
    """Return the locale of this name; English if Babel does not know it."""
    try:
        return Locale.parse(locale, sep="-")
    except (ValueError, UnknownLocaleError):
        return Locale.parse(DEFAULT_LOCALE)


@lru_cache(maxsize=256)
def _number_pattern(locale: str, decimals: int) -> tuple[Locale, NumberPattern]:
    """Return the locale and its number pattern with exactly this number of decimals."""
    found = _find_locale(locale)
    groups = found.decimal_formats[None].pattern.partition(".")[0]
    return found, parse_pattern(f"{groups}.{'0' * decimals}" if decimals else groups)
