"""Phone numbers of the index, as people read them."""

from django import template

register = template.Library()
# A number without its country code has fewer digits.
_WITH_COUNTRY = 11


@register.filter
def phone(digits: str) -> str:
    """A number's digits as it is dialled: `+254700186215`, or `0700186215` within the country."""
    return f"{'+' if len(digits) >= _WITH_COUNTRY else '0'}{digits}" if digits else ""
