"""Form of the payment box: a payment in three fields. The other fields have their usual values."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.forms import RepaymentForm
from lendingadmin.people.search.encrypted_words import LONGEST
from lendingadmin.web.fields import LineField

_SHOWN = ("who", "amount", "externalId", "token")


class PaymentBoxForm(RepaymentForm):
    """Form for the payer, the amount and the transaction id of a payment.

    The other fields have the initial values of RepaymentForm. The review shows these values, with a
    link to change them.
    """

    who = LineField(
        label=_("Person or loan"),
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "dir": "auto"}),
        error_messages={"required": _("Who paid? Enter a name, phone or loan number.")},
    )
    field_order = ("who", "amount", "externalId")

    def __init__(self, data: Any, *, app: LendingApp, **kw: Any) -> None:
        super().__init__(data, app=app, retry_of=None, **kw)
        self.fields["who"].help_text = _("Name, phone or loan number.")
        self.fields["externalId"].help_text = _("M-PESA code. Leave empty for cash.")
        for name, field in self.fields.items():
            # A disabled field takes its initial value and ignores the request.
            field.disabled = name not in _SHOWN
