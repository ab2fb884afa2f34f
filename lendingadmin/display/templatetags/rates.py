"""`{{ rate|rate }}`, `{{ period|duration }}`, `{{ seconds|elapsed }}`: exact values on hover."""

from django import template
from django.utils.html import format_html

from lendingadmin.display import durations, rates

register = template.Library()
register.filter("elapsed", durations.elapsed)


@register.filter
def rate(value: object) -> str:
    """A fraction as per cent; every digit on hover where some were left off."""
    return _with_hover(rates.rate(value), rates.exact_rate(value))


@register.filter
def duration(value: object) -> str:
    """A duration in months, weeks or days; the days on hover where they were turned."""
    return _with_hover(durations.duration(value), durations.exact_duration(value))


def _with_hover(text: str, exact: str) -> str:
    if text == exact:
        return text
    return format_html('<span title="{}">{}</span>', exact, text)
