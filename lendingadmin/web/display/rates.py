"""Rates: fractions in JSON (spec: Conventions), per cent on the screen."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, ngettext_lazy

from lendingadmin.web.display.durations import days_of
from lendingadmin.web.display.numbers import MINUS, as_it_came, decimals_of, grouped, number, whole

from .locales import DEFAULT_LOCALE, write_percent

_WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)
_PERIODS = {
    1: gettext_noop("a day"),
    7: gettext_noop("a week"),
    30: gettext_noop("a month"),
    365: gettext_noop("a year"),
}
_UNITS = (
    (365, ngettext_lazy("every %(count)s year", "every %(count)s years", "count")),
    (30, ngettext_lazy("every %(count)s month", "every %(count)s months", "count")),
    (7, ngettext_lazy("every %(count)s week", "every %(count)s weeks", "count")),
    (1, ngettext_lazy("every %(count)s day", "every %(count)s days", "count")),
)


def rate(value: object, locale: str = DEFAULT_LOCALE, per: str = "") -> str:
    """Write a fraction as per cent, rounded: 0.4263127 is `42.6 %`, 0.0125 is `1.25 %`.

    A rate of 10 % or more has one decimal, and a lower rate has two. Below 0.1 % there are two
    significant digits, so that only zero is shown as zero. `per` is the period in words, such as `a
    year`.
    """
    fraction = number(value)
    if fraction is None:
        return as_it_came(value)
    rounded = _tidy(to_percent(fraction))
    return _written(rounded, locale, per)


def points(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write the difference of two fractions in percentage points: 0.035 is `3.50 points`.

    If it was written in per cent, people could read it as a share of the smaller rate.
    """
    fraction = number(value)
    if fraction is None:
        return as_it_came(value)
    rounded = _tidy(to_percent(fraction))
    return _("%(points)s points") % {"points": grouped(rounded, decimals_of(rounded), locale)}


def exact_rate(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write a fraction as per cent with all received digits."""
    fraction = number(value)
    return as_it_came(value) if fraction is None else _written(to_percent(fraction), locale, "")


def rate_hover(value: object, locale: str = DEFAULT_LOCALE, days: int | None = None) -> str:
    """Write the fraction as received and the days of its period: `received as 0.4 for 30 days`.

    If rounding changed the rate, the exact rate in per cent comes first.
    """
    fraction = number(value)
    if fraction is None:
        return as_it_came(value)
    exact = exact_rate(value, locale)
    words = _("received as %(fraction)s")
    if days:
        words = ngettext(
            "received as %(fraction)s for %(count)s day",
            "received as %(fraction)s for %(count)s days",
            days,
        )
    came = words % {"fraction": f"{fraction:f}", "count": whole(days or 0, locale)}
    return came if exact == rate(value, locale) else f"{exact}, {came}"


def period(value: object) -> str:
    """Write the period of a rate in words: `30 days` is `a month`, `90 days` is `every 3 months`.

    Return an empty text if the service gave no readable period; a period is never guessed.
    """
    days = days_of(value)
    if not days:
        return ""
    if days in _PERIODS:
        return _(_PERIODS[days])
    length, words = next(unit for unit in _UNITS if not days % unit[0])
    return words % {"count": days // length}


def to_percent(fraction: Decimal) -> Decimal:
    """Return a fraction in per cent, with every digit."""
    return _WIDE.multiply(fraction, Decimal(100))


def _written(percent: Decimal, locale: str, per: str) -> str:
    if locale == DEFAULT_LOCALE:
        text = f"{grouped(percent, decimals_of(percent))} %"
    else:
        text = write_percent(percent.copy_abs().scaleb(-2, _WIDE), locale)
        text = f"{MINUS}{text}" if percent < 0 else text
    return f"{text} {per}" if per else text


def _tidy(percent: Decimal) -> Decimal:
    size = abs(percent)
    if size >= 10:
        decimals = 1
    elif size >= Decimal("0.1") or not size:
        decimals = 2
    else:
        decimals = 1 - size.adjusted()
    return _WIDE.quantize(percent, Decimal(1).scaleb(-decimals))
