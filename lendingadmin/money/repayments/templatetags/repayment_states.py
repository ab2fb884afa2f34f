"""Template filters for names: `{{ "unknown"|repayment_state }}`, `{{ "web"|channel_name }}`."""

from django import template
from django.utils.text import capfirst
from django.utils.translation import gettext

from lendingadmin.money.repayments.managers import write_channel, write_network
from lendingadmin.money.repayments.states import RepaymentState

register = template.Library()


@register.filter
def repayment_state(value: str) -> str:
    """Return the label of a state with a capital letter, such as `Needs checking`.

    Raise ValueError for other values.
    """
    return capfirst(gettext(RepaymentState(value).label))


register.filter("channel_name", write_channel)
register.filter("network_name", write_network)
