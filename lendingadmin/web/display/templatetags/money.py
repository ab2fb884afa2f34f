"""`{{ amount|money:currency }}`, `{{ amount|figure:currency }}`, `{{ how_many|count }}`."""

from django import template

from lendingadmin.web.display import formats, numbers
from lendingadmin.web.display import money as shown

register = template.Library()


@register.filter
def money(amount: object, currency: object) -> str:
    """An amount with its currency's code."""
    return shown.money(amount, currency, formats.locale())


@register.filter
def figure(amount: object, currency: object) -> str:
    """An amount without its code."""
    return shown.figure(amount, currency, formats.locale())


@register.filter
def count(value: object) -> str:
    """Write a number of things: with digit groups, without decimals."""
    found = numbers.number(value)
    return (
        numbers.as_it_came(value) if found is None else numbers.grouped(found, 0, formats.locale())
    )
