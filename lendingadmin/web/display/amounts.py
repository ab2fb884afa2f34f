"""Amounts that people type. Each is read as a number or refused; none is guessed.

An amount that `money.py` writes is read as the same number, or is refused as ambiguous with this
number as one of its readings.
"""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.numbers import get_currency_precision, is_currency

from .locales import group_sign

# Spaces and apostrophes of every width separate thousands: no-break, figure, thin, narrow.
_SAME_SIGN = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " ") | {"\u2019": "'"})
_NO_CENTS = re.compile(r" ?/[=-]$")
_AMOUNT = re.compile(
    r"(?:(?P<before>[^\d.,' /]+)\.? ?)?(?P<figure>\d(?:[\d.,' ]*\d)?)(?: ?(?P<after>[^\d.,' /]+))?",
    re.ASCII,
)
# One to three digits, a point and three digits. People with a decimal comma read thousands.
_TWO_WAYS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_THOUSANDTHS = 3
_SHILLINGS = ("KES", "SOS", "TZS", "UGX")


class Unreadable(ValueError):
    """Error: the text cannot be read as an amount of zero or more."""


class Ambiguous(ValueError):
    """Error: a text can mean two amounts. `readings` has both, each in a clear form."""

    def __init__(self, *readings: str) -> None:
        super().__init__(" or ".join(readings))
        self.readings = readings


class OtherCurrency(ValueError):
    """Error: the text names another currency; `mark` is its code or sign in the text."""

    def __init__(self, mark: str) -> None:
        super().__init__(mark)
        self.mark = mark


def parse_amount(text: str, currency: str, locale: str) -> Decimal:
    """Return the amount in a text such as `3,500`, `3 500.50`, `KES 3500` or `3500/=`.

    A point or comma before exactly three digits can mean thousands or decimals. A comma means
    thousands only if the locale writes thousands with a comma and the currency has no thousandths.
    Without a `currency`, the text may not name a currency. Raise Unreadable, Ambiguous or
    OtherCurrency.
    """
    plain = re.sub(r"\s+", " ", text.translate(_SAME_SIGN)).strip()
    found = _AMOUNT.fullmatch(_NO_CENTS.sub("", plain))
    if not found or (found["before"] and found["after"]):
        raise Unreadable(text)
    mark = found["before"] or found["after"]
    if mark and mark.upper() not in _list_marks(currency):
        raise OtherCurrency(mark) if currency and _names_currency(mark) else Unreadable(text)
    return _parse_figure(found["figure"], locale, _has_thousandths(currency))


def write_for_all(amount: str) -> str:
    """Return the amount in a form that can mean only one amount: `01.234` for 1.234."""
    return f"0{amount}" if _TWO_WAYS.fullmatch(amount) else amount


def _has_thousandths(currency: str) -> bool:
    """Return whether a comma before three figures may mark minor units, as for a dinar."""
    return is_currency(currency) and get_currency_precision(currency) == _THOUSANDTHS


def _parse_figure(figure: str, locale: str, has_thousandths: bool) -> Decimal:
    signs = re.findall(r"\D", figure)
    kinds = set(signs)
    if not signs:
        return Decimal(figure)
    last = signs[-1]
    whole, _, decimals = figure.rpartition(last)
    if last in ".," and signs.count(last) == 1:
        if len(signs) == 1:
            return _parse_either(whole, decimals, last, locale, has_thousandths)
        if len(kinds) == 2:
            return Decimal(f"{_ungroup(whole, signs[0])}.{decimals}")
    if len(kinds) > 1:
        raise Unreadable(figure)
    return Decimal(_ungroup(figure, last))


def _parse_either(whole: str, rest: str, sign: str, locale: str, has_thousandths: bool) -> Decimal:
    """Return the number in a figure with one point or one comma and no other sign.

    Raise Ambiguous if the sign can mean thousands or decimals.
    """
    is_group = sign == "," == group_sign(locale) and not has_thousandths
    if len(rest) != 3 or whole[0] == "0" or (len(whole) > 3 and not is_group):
        return Decimal(f"{whole}.{rest}")
    if len(whole) <= 3 and is_group:
        return Decimal(f"{whole}{rest}")
    shortest = rest.rstrip("0").ljust(2, "0")
    raise Ambiguous(f"{whole}{rest}", write_for_all(f"{whole}.{shortest}"))


def _ungroup(figure: str, sign: str) -> str:
    """Return the digits without the signs between thousands.

    Raise Unreadable if the signs do not separate groups of three digits.
    """
    first, *others = figure.split(sign)
    is_grouped = len(first) <= 3 and {len(group) for group in others} == {3}
    if not is_grouped or not first or first[0] == "0":
        raise Unreadable(figure)
    return first + "".join(others)


@lru_cache(maxsize=64)
def _list_marks(currency: str) -> frozenset[str]:
    """Return the marks of a currency in capitals: `KES`, `KSH`, `GH₵`; empty without a currency."""
    if not currency:
        return frozenset()
    marks = {currency}
    if currency in _SHILLINGS:
        marks |= {"SH", "SHS", f"{currency[0]}SH", f"{currency[0]}SHS"}
    # A currency code begins with the code of its country. Add the sign that this country uses.
    try:
        country = Locale.parse(f"en_{currency[:2]}")
    except (ValueError, UnknownLocaleError):
        return frozenset(marks)
    return frozenset(marks | {country.currency_symbols.get(currency, currency).upper()})


def _names_currency(mark: str) -> bool:
    is_sign = any(unicodedata.category(letter) == "Sc" for letter in mark)
    is_shilling = any(mark.upper() in _list_marks(code) for code in _SHILLINGS)
    return is_sign or is_shilling or is_currency(mark.upper())
