"""`{{ rate|rate:"a year" }}`, `{{ period|duration }}`: exact values on hover."""

from django import template
from django.utils.html import format_html

from lendingadmin.web.display import durations, formats, rates
from lendingadmin.web.display.numbers import number

register = template.Library()
register.filter("elapsed", durations.elapsed)


@register.filter
def rate(value: object, per: str = "") -> str:
    """Write a fraction as per cent, with its period in words if known.

    The fraction as received is shown on hover.
    """
    return _rate(value, per, None)


@register.filter
def rate_points(value: object) -> str:
    """Write the difference of two rates in percentage points; the fraction is shown on hover."""
    text = rates.points(value, formats.locale())
    return text if number(value) is None else _with_hover(text, rates.rate_hover(value))


@register.filter
def rate_each(value: object, period: object) -> str:
    """Write a rate with the period from the service, such as `30 days`: `2.5 % a month`."""
    return _rate(value, rates.period(period), durations.days_of(period))


@register.filter
def duration(value: object) -> str:
    """Write a duration in months, weeks or days, with the days on hover if converted."""
    locale = formats.locale()
    words, exact = durations.duration(value, locale), durations.exact_duration(value, locale)
    return words if words == exact else _with_hover(words, exact)


def _rate(value: object, per: str, days: int | None) -> str:
    locale = formats.locale()
    text = rates.rate(value, locale, per)
    return (
        text if number(value) is None else _with_hover(text, rates.rate_hover(value, locale, days))
    )


def _with_hover(text: str, exact: str) -> str:
    return format_html('<span title="{}">{}</span>', exact, text)
