"""`{{ value|moment:zone }}` and its like: a `<time>` in the lender's zone, UTC on hover."""

from collections.abc import Callable
from datetime import date, datetime, tzinfo
from functools import lru_cache

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString

from lendingadmin.display import times

register = template.Library()
register.filter("zone_name", times.zone_name)
register.filter("day_text", times.day)


@register.filter
def day(value: object, zone: object = None) -> str:
    """The day a moment falls on in the zone."""
    return _marked(times.day, value, zone)


@register.filter
def contract_day(value: object, zone: object = None) -> str:
    """The day a contract date (start, due, maturity) means: its UTC day at a day's bounds."""
    if isinstance(value, datetime):
        return _contract_day(value, zone)
    return _marked(times.contract_day, value, zone)


# Contracts begin and end with days, so that loans share them: a list has two in every row.
@lru_cache(maxsize=4096)
def _contract_day(value: datetime, zone: object) -> str:
    return _marked(times.contract_day, value, zone)


@register.filter
def moment(value: object, zone: object = None) -> str:
    """Day and time to the minute in the zone."""
    return _marked(times.moment, value, zone)


@register.filter
def clock(value: object, zone: object = None) -> str:
    """The time of day to the second in the zone."""
    return _marked(times.clock, value, zone)


@register.filter
def ago(value: object) -> str:
    """How far a moment lies from now."""
    return _marked(lambda when, _: times.ago(when, timezone.now()), value, None)


@register.filter
def in_days(value: object, zone: object = None) -> str:
    """How many days away a contract day lies."""
    return times.in_days(value, timezone.now(), _zone(zone))


def _marked(write: Callable[[object, tzinfo | None], str], value: object, zone: object) -> str:
    text = write(value, _zone(zone))
    # Digits and months' names: there is nothing to escape, and a list has two in every row.
    if isinstance(value, datetime):
        hover = times.utc(value)
        return SafeString(f'<time datetime="{value.isoformat()}" title="{hover}">{text}</time>')
    if isinstance(value, date):
        return SafeString(f'<time datetime="{value.isoformat()}">{text}</time>')
    return text


def _zone(zone: object) -> tzinfo | None:
    return zone if isinstance(zone, tzinfo) else None
