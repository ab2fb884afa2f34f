"""Template filter that shows the state of a promise as a chip."""

from django import template

from lendingadmin.desk.collections.states import describe_promise
from lendingadmin.web.display.templatetags.statuses import chip

register = template.Library()


@register.filter
def promise_chip(state: str) -> str:
    """Return the chip of a promise's state."""
    return chip(describe_promise(state))
