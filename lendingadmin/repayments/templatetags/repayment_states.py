"""What a state is called: `{{ "unknown"|repayment_state }}`, as `states` declares it."""

from django import template
from django.utils.text import capfirst
from django.utils.translation import gettext

from lendingadmin.repayments.states import RepaymentState

register = template.Library()


@register.filter
def repayment_state(value: str) -> str:
    """The label of a state, as a heading: `Needs checking`. Raises ValueError for no state."""
    return capfirst(gettext(RepaymentState(value).label))
