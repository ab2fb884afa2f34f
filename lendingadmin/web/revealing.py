"""Show masked data after a person has sent a purpose, which the audit trail records first.

The purpose is from a short list, so that the audit trail has no text about a person. The data are
the response to this POST, so no address leads to them.
"""

from collections.abc import Mapping

from django import forms
from django.db.models import TextChoices
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.staff.roles import REVEAL, SEE_CONTACT, SEE_IDENTITY, SEE_NAMES

from .requests import PersonRequest

#: The name of the data that each right opens, for the audit trail and the page.
GROUPS: Mapping[str, str] = {
    SEE_NAMES: gettext_noop("names"),
    SEE_CONTACT: gettext_noop("contact"),
    SEE_IDENTITY: gettext_noop("identity"),
}


class RevealPurpose(TextChoices):
    """The purpose of revealing masked content."""

    CALL = "call", _("I am on the phone with the borrower")
    IDENTITY = "identity", _("Checking an identity")
    ASSESSMENT = "assessment", _("Deciding on a loan")
    COMPLAINT = "complaint", _("A complaint")
    CORRECTION = "correction", _("Correcting a record")
    ACCESS = "access", _("The borrower asked what data is stored")


class RevealForm(forms.Form):
    """Form for a person's purpose to see masked content."""

    purpose = forms.ChoiceField(
        choices=[("", _("Choose a purpose")), *RevealPurpose.choices], label=_("Purpose")
    )


def list_groups(rights: frozenset[str]) -> list[str]:
    """Return the words for the data that these rights open, in the order of the page."""
    return [gettext(words) for right, words in GROUPS.items() if right in rights]


@in_english
def record_reveal(
    request: PersonRequest, app_id: str, subject: str, what: str, form: RevealForm
) -> None:
    """Record the purpose in the audit trail. Call this before the page shows the content.

    `subject` is an account id, a space and the part: an event's time, or `record`. `what` names the
    content and has no personal data. The form is valid.
    """
    purpose = RevealPurpose(form.cleaned_data["purpose"])
    audit.record(
        request,
        REVEAL,
        app_id=app_id,
        subject=subject,
        outcome="revealed",
        detail=gettext("%(what)s; purpose: %(purpose)s")
        % {"what": what, "purpose": purpose.label.lower()},
    )
