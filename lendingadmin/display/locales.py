"""Numbers and dates by locale; the words stay English.

The product's own form, `DEFAULT_LOCALE`, is English with the day first. All others come out of
Babel's tables, with Latin digits throughout: figures of one page are compared with one another.
"""

from datetime import date
from decimal import Decimal, localcontext
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton
from babel.numbers import (
    NumberPattern,
    format_percent,
    get_decimal_symbol,
    get_group_symbol,
    parse_pattern,
)

DEFAULT_LOCALE = "en"
# Those that a person may choose; the list shows an example of each.
OFFERED = (
    *("en-GB", "en-US", "en-IN", "en-ZA", "sw-KE", "fr", "de", "de-CH"),
    *("es", "pt", "it", "nl", "sv", "pl", "id"),
)
_HOUSE_DAYS = {"yMMMd": "d MMM y", "MMMd": "d MMM"}
_MONTH = "MMM yy"
_WIDEST = 90  # digits: more than any number that is legible
_EXAMPLE = (Decimal("1234567.89"), date(2026, 10, 31))


def write_number(value: Decimal, decimals: int, locale: str) -> str:
    """Write a number that is not negative in groups, with exactly so many decimals."""
    found, pattern = _number_pattern(locale, decimals)
    with localcontext(prec=_WIDEST):
        return str(pattern.apply(value, found))


def write_percent(fraction: Decimal, locale: str) -> str:
    """Write a fraction that is not negative as per cent, with all its digits: `42,63127 %`."""
    with localcontext(prec=_WIDEST):
        return format_percent(fraction, locale=_find_locale(locale), decimal_quantization=False)


@lru_cache(maxsize=64)
def decimal_sign(locale: str) -> str:
    """What stands between the whole of a number and its decimals."""
    return get_decimal_symbol(_find_locale(locale))


@lru_cache(maxsize=64)
def group_sign(locale: str) -> str:
    """What stands between thousands: `,`, `.`, `’`, or a space of some width."""
    return get_group_symbol(_find_locale(locale))


@lru_cache(maxsize=64)
def groups_by_two(locale: str) -> bool:
    """Whether digits above thousands stand in pairs: `1,00,000`."""
    pattern: NumberPattern = _find_locale(locale).decimal_formats[None]
    return pattern.grouping == (3, 2)


# The rows of a list share their days, and the rules of a locale are slow.
@lru_cache(maxsize=4096)
def write_day(found: date, locale: str, skeleton: str = "yMMMd") -> str:
    """Write a day in full (`yMMMd`) or without its year (`MMMd`)."""
    if locale == DEFAULT_LOCALE:
        return format_date(found, _HOUSE_DAYS[skeleton], locale=DEFAULT_LOCALE)
    return format_skeleton(skeleton, found, locale=_find_locale(locale))


@lru_cache(maxsize=512)
def write_month(found: date, locale: str) -> str:
    """Write a month and its year shortly, for an axis: `Oct 26`."""
    return format_date(found, _MONTH, locale=_find_locale(locale))


@lru_cache(maxsize=64)
def write_example(locale: str) -> str:
    """A number and a day in this locale: `1,234,567.89 · 31 Oct 2026`."""
    amount, day = _EXAMPLE
    return f"{write_number(amount, 2, locale)} · {write_day(day, locale)}"


@lru_cache(maxsize=64)
def describe_locale(locale: str) -> str:
    """The locale in English: `German`, `English (India)`."""
    return _find_locale(locale).get_display_name(DEFAULT_LOCALE) or locale


@lru_cache(maxsize=64)
def _find_locale(locale: str) -> Locale:
    """The locale of this name; English for one that Babel does not know."""
    try:
        return Locale.parse(locale, sep="-")
    except (ValueError, UnknownLocaleError):
        return Locale.parse(DEFAULT_LOCALE)


@lru_cache(maxsize=256)
def _number_pattern(locale: str, decimals: int) -> tuple[Locale, NumberPattern]:
    """The groups of this locale (`#,##,##0` in India) with exactly so many decimals."""
    found = _find_locale(locale)
    groups = found.decimal_formats[None].pattern.partition(".")[0]
    return found, parse_pattern(f"{groups}.{'0' * decimals}" if decimals else groups)
