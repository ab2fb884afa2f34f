"""`{{ field|zone_beside }}`: the zone that a bound field's day or time is meant in."""

from django import template
from django.forms import BoundField

from lendingadmin.web import dates

register = template.Library()


@register.filter
def zone_beside(bound: BoundField) -> str:
    """The zone in words, or nothing for a field that is neither a day nor a time."""
    return dates.zone_beside(bound.field)
