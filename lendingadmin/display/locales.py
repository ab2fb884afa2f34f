"""How numbers and dates are written where somebody comes from; the words stay English.

The product's own form, `DEFAULT_LOCALE`, is English with the day first. All others come out of
Babel's tables, with Latin digits throughout: figures of one page are compared with one another.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton

DEFAULT_LOCALE = "en"
# Those that a person may choose; each is shown by an example, so that none needs to be known.
OFFERED = (
    *("en-GB", "en-US", "en-IN", "en-ZA", "sw-KE", "fr", "de", "de-CH"),
    *("es", "pt", "it", "nl", "sv", "pl", "id"),
)
_HOUSE_DAYS = {"yMMMd": "d MMM y", "MMMd": "d MMM"}
_MONTH = "MMM yy"
_EXAMPLE = (Decimal("1234567.89"), date(2026, 10, 31))


@dataclass(frozen=True)
class Signs:
    """What stands between digits: `marks` turns the default's into this locale's own."""

    decimal: str
    marks: dict[int, str]
    in_lakhs: bool
    before_percent: str
    percent: str

    def written(self, plain: str) -> str:
        """Turn `1,234,567.89` into this locale's form."""
        if self.in_lakhs:
            plain = _in_lakhs(plain)
        return plain.translate(self.marks) if self.marks else plain


@lru_cache(maxsize=64)
def signs(locale: str) -> Signs:
    """The signs of a locale; those of `DEFAULT_LOCALE` for one that nobody knows."""
    found = _locale(locale)
    # Other digits than Latin ones have signs of their own.
    symbols = found.number_symbols.get("latn", found.number_symbols)
    marks = {",": symbols["group"], ".": symbols["decimal"]}
    before, _, after = found.percent_formats[None].pattern.rpartition("0")
    return Signs(
        decimal=symbols["decimal"],
        marks={ord(old): new for old, new in marks.items() if old != new},
        in_lakhs=found.decimal_formats[None].grouping == (3, 2),
        before_percent=before.rstrip("#,0") if locale != DEFAULT_LOCALE else "",
        percent=after if locale != DEFAULT_LOCALE else " %",
    )


# The rows of a list share their days, and the locale's rules take a while to apply.
@lru_cache(maxsize=4096)
def written_day(found: date, locale: str, skeleton: str = "yMMMd") -> str:
    """Write a day in full (`yMMMd`) or without its year (`MMMd`)."""
    if locale == DEFAULT_LOCALE:
        return format_date(found, _HOUSE_DAYS[skeleton], locale=DEFAULT_LOCALE)
    return format_skeleton(skeleton, found, locale=_locale(locale))


@lru_cache(maxsize=512)
def written_month(found: date, locale: str) -> str:
    """Write a month and its year shortly, for an axis: `Oct 26`."""
    return format_date(found, _MONTH, locale=_locale(locale))


@lru_cache(maxsize=64)
def example(locale: str) -> str:
    """What this locale looks like: `1,234,567.89 · 31 Oct 2026`."""
    amount, day = _EXAMPLE
    number = format(amount, ",.2f")
    number = number if locale == DEFAULT_LOCALE else signs(locale).written(number)
    return f"{number} · {written_day(day, locale)}"


@lru_cache(maxsize=64)
def named(locale: str) -> str:
    """The locale in English: `German`, `English (India)`."""
    return _locale(locale).get_display_name(DEFAULT_LOCALE) or locale


def _locale(locale: str) -> Locale:
    try:
        return Locale.parse(locale, sep="-")
    except (ValueError, UnknownLocaleError):
        return Locale.parse(DEFAULT_LOCALE)


def _in_lakhs(plain: str) -> str:
    """Group as in India: the last three digits of the whole, then pairs."""
    whole, point, rest = plain.partition(".")
    if len(whole) <= len("99,999"):
        return plain
    whole = whole.replace(",", "")
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)]
    return ",".join([*reversed(pairs), tail]) + point + rest
