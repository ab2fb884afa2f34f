"""`{{ amount|money:currency }}`, `{{ amount|figure:currency }}`, `{{ how_many|count }}`."""

from django import template

from lendingadmin.web.display import formats, numbers
from lendingadmin.web.display import money as shown

register = template.Library()


@register.filter
def money(amount: object, currency: object) -> str:
    """Write an amount with the code of its currency."""
    return shown.money(amount, currency, formats.locale())


@register.filter
def figure(amount: object, currency: object) -> str:
    """Write an amount without its code."""
    return shown.figure(amount, currency, formats.locale())


@register.filter
def count(value: object) -> str:
    """Write a count with digit groups and without decimals."""
    found = numbers.number(value)
    return (
        numbers.as_it_came(value) if found is None else numbers.grouped(found, 0, formats.locale())
    )
