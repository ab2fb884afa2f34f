"""Names of states and channels: `{{ "unknown"|repayment_state }}`, `{{ "web"|channel_name }}`."""

from django import template
from django.utils.text import capfirst
from django.utils.translation import gettext

from lendingadmin.money.repayments.managers import CHANNELS
from lendingadmin.money.repayments.states import RepaymentState

register = template.Library()


@register.filter
def repayment_state(value: str) -> str:
    """The label of a state, as a heading: `Needs checking`. Raises ValueError for no state."""
    return capfirst(gettext(RepaymentState(value).label))


@register.filter
def channel_name(value: str) -> str:
    """The name of a channel; one that the service does not know stays as it is."""
    return str(CHANNELS.get(value, gettext(value)))
