"""The setting of the fields that a new borrower must have."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, Values, Words
from lendingadmin.core.policies.services import read_values
from lendingadmin.people.index.find import find_index
from lendingadmin.web.keyset import spell_count

from .fields import list_fields

#: The fields that may be required, by category: the API's name and the label.
REQUIRABLE = {
    category: [(field.name, field.label) for field in list_fields(category)]
    for category in ("individual", "company")
}


def _choose(category: str, label: Any) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        choices=REQUIRABLE[category],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class RequiredFieldsForm(PolicyForm):
    """Form of the required fields of an individual and of a company."""

    individual = _choose("individual", _("Individual"))
    company = _choose("company", _("Company"))


def _describe(values: Values) -> Words:
    return [
        (
            str(RequiredFieldsForm.base_fields[category].label),
            ", ".join(str(label) for name, label in REQUIRABLE[category] if name in names),
        )
        for category, names in values.items()
    ]


def _describe_now(app: LendingApp) -> str:
    index = find_index(app.app_id)
    borrowers = index.count_cards() if index else 0
    words = ngettext(
        "A change of this setting does not affect the %(count)s borrower that is already "
        "registered.",
        "A change of this setting does not affect the %(count)s borrowers that are already "
        "registered.",
        borrowers,
    )
    return words % {"count": spell_count(borrowers) or "0"}


REQUIRED_FIELDS = PolicyKind(
    "required-fields",
    _("Required fields"),
    _("A new borrower can't be saved without these fields."),
    RequiredFieldsForm,
    {"individual": ["surname", "phoneNumber"], "company": ["companyName", "phoneNumber"]},
    _describe,
    _describe_now,
)


def read_required(app_id: str) -> dict[str, Sequence[str]]:
    """Return the names of the required fields, by category."""
    return read_values(REQUIRED_FIELDS, app_id)
