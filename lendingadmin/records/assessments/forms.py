"""Forms of the assessments area. Fields that become a parameter have the spec's names."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import account_id
from lendingadmin.money.writes.forms import WriteForm
from lendingadmin.web.moments import FarDatesForm, MomentField

from .running import CREATE

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class AccountField(forms.CharField):
    """Field for an account id, `<ACCOUNT_TYPE>:<ACCOUNT_ID>`; a bare id is a borrower's id."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if _CONTROL.search(text):
            raise forms.ValidationError(_("Leave out line breaks and control characters."))
        kind, colon, rest = text.partition(":")
        if colon and not (kind and rest):
            raise forms.ValidationError(
                _("Enter the account's type, a colon and the account's id.")
            )
        try:
            return text if colon else account_id(text)
        except InvalidId as error:
            raise forms.ValidationError(_(error.message)) from None


class AssessmentForm(WriteForm, FarDatesForm):
    """Form for an assessment's parameters (spec: Assessments); times are in the lender's zone."""

    operation = CREATE

    accountId = AccountField(
        label=_("Account"),
        max_length=255,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "The type and id of the account, such as borrower:0712. An id without a type is a "
            "borrower's id."
        ),
    )
    assessmentType = forms.CharField(
        label=_("Assessment type"),
        max_length=300,
        error_messages={"required": _("Choose an assessment type.")},
    )
    timestamp = MomentField(
        seconds=True,
        label=_("Data up to"),
        help_text=_(
            "The assessment uses only data before this time. Most types use the last 90 days."
        ),
    )
