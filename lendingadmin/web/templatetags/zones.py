"""`{{ field|zone_beside }}`: the zone of a bound field's day or time."""

from django import template
from django.forms import BoundField

from lendingadmin.web import dates

register = template.Library()


@register.filter
def zone_beside(bound: BoundField) -> str:
    """Return the zone in words; empty for a field that is neither a day nor a time."""
    return dates.zone_beside(bound.field)
