"""Details of the lender: name, language, licence, contacts and more, for papers and messages."""

from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp

from .kinds import PolicyForm, PolicyKind, Values, Words
from .services import read_values

_ONE_LINE = RegexValidator(
    r"[\x00-\x1f\x7f]",
    _("Leave out line breaks and control characters."),
    code="control",
    inverse_match=True,
)


@dataclass(frozen=True)
class Lender:
    """Details of a lender. `language` is the code of the language of receipts and SMS.

    `payment` is a text for borrowers about how to pay. A notice about overdue money gives the
    borrower `notice_days` days to pay.
    """

    name: str
    language: str
    licence: str
    address: str
    phone: str
    complaints: str
    payment: str = ""
    notice_days: int = 7


def _line(most: int, **options: Any) -> forms.CharField:
    return forms.CharField(max_length=most, required=False, validators=[_ONE_LINE], **options)


class LenderForm(PolicyForm):
    """Form of the lender's details."""

    name = _line(80, label=_("Name"), help_text=_("Leave empty to show the app's id."))
    language = forms.ChoiceField(
        label=_("Language of receipts and SMS"), choices=settings.LANGUAGES
    )
    licence = _line(80, label=_("Licence number"))
    address = _line(200, label=_("Address"))
    phone = _line(40, label=_("Phone"))
    complaints = _line(
        200,
        label=_("Complaints to"),
        help_text=_("A phone number, an e-mail address or an office."),
    )
    payment = _line(
        200,
        label=_("How to pay"),
        help_text=_(
            "This text is printed on notices. Example: “M-PESA Paybill 555000, account: the "
            "loan number”."
        ),
    )
    notice_days = forms.IntegerField(
        label=_("Days to pay after a notice"),
        required=False,
        min_value=1,
        max_value=60,
        help_text=format_lazy(_("Leave empty for {days} days."), days=Lender.notice_days),
    )

    def clean_notice_days(self) -> int:
        """Return the days to pay; the default if the field is empty."""
        return self.cleaned_data["notice_days"] or Lender.notice_days


def _describe(values: Values) -> Words:
    found = {**values, "language": dict(settings.LANGUAGES).get(values["language"], "")}
    return [(str(one.label), str(found[name])) for name, one in LenderForm.base_fields.items()]


def _describe_now(app: LendingApp) -> str:
    values = read_values(LENDER, app.app_id)
    missing = [str(one.label) for name, one in LenderForm.base_fields.items() if not values[name]]
    if not missing:
        return gettext("Papers show all of these details.")
    return gettext("Missing on papers: %(fields)s.") % {"fields": ", ".join(missing)}


LENDER = PolicyKind(
    "lender",
    _("Lender"),
    _(
        "The name is in the header, in SMS and on receipts, collection sheets and papers. "
        "The licence number, the contacts and how to pay are on papers for customers."
    ),
    LenderForm,
    {
        **dict.fromkeys(LenderForm.base_fields, ""),
        "language": settings.LANGUAGE_CODE,
        "notice_days": Lender.notice_days,
    },
    _describe,
    _describe_now,
)


def read_lender(app_id: str) -> Lender:
    """Return the lender's details. If the lender has no name, the name is the app's id."""
    found = Lender(**read_values(LENDER, app_id))
    return found if found.name else replace(found, name=app_id)
