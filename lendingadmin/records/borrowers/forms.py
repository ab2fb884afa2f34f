"""The form of a borrower, made from the table of fields, and the form of a new borrower."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.money.writes.forms import WriteForm
from lendingadmin.web.converters import quote
from lendingadmin.web.display.phones import normalise_phone
from lendingadmin.web.masking import WHOLE_RECORD, may_edit

from .changes import same
from .fields import FIELDS, list_fields
from .wirefields import MISSING, WireField

_LONGEST_ADDRESS = 900
# Sections with fields of JSON, and all sections that the form folds.
_JSON = ("open", "settings", "biometrics", "json")
_TECHNICAL = ("general", *_JSON)

Raw = Mapping[str, object]


class BorrowerForm(forms.Form):
    """Form for the fields of a borrower. `record` has the initial values.

    `held` are the person's rights. The form has no field for data that the person may not see, and
    `result` leaves these data unchanged. Only developers get JSON fields.
    """

    is_new = False

    def __init__(
        self,
        data: Any = None,
        *,
        record: Raw,
        held: Collection[str] = WHOLE_RECORD,
        is_developer: bool,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        company = _as_object(record.get("company"))
        keys = _find_company_keys(company)
        self.record = record
        # The objects that contain the fields, by `Field.within`.
        self._before: dict[str, Raw] = {
            "": record,
            "individual": _as_object(record.get("individual")),
            "company": {name: company[key] for name, key in keys.items() if key in company},
        }
        is_odd = record.get("company") not in (None, company)
        for field in FIELDS:
            before, place = self._before[field.within], (field.within, field.name)
            is_left_out = field.is_rare and field.name not in before
            is_left_out = is_left_out or (field.within == "company" and is_odd)
            is_left_out = is_left_out or (field.section in _JSON and not is_developer)
            if not is_left_out and may_edit(held, before.get(field.name), *filter(None, place)):
                raw = before.get(field.name, MISSING)
                self.fields[field.form_name] = WireField(field, raw)

    @property
    def sections(self) -> dict[str, list[BoundField]]:
        """Fields of this form by section; a section may be empty."""
        return {
            section: [self[field.form_name] for field in fields if field.form_name in self.fields]
            for section, fields in groupby(FIELDS, attrgetter("section"))
        }

    @property
    def filled(self) -> set[str]:
        """The sections that have a value in a field; people must see these sections."""
        return {
            section
            for section, fields in self.sections.items()
            if any(str(field.value() or "").strip() for field in fields)
        }

    @property
    def opens_technical(self) -> bool:
        """True if a folded section has an error.

        Existing values do not open a section, because people can open it.
        """
        sections = self.sections
        return any(field.errors for section in _TECHNICAL for field in sections[section])

    @property
    def has_odd_phone(self) -> bool:
        """True if a newly typed phone number is not valid.

        Such a number is sent as it was typed.
        """
        names = {field.form_name for field in FIELDS if field.kind == "phone"}
        new = [self.cleaned_data[name] for name in names.intersection(self.changed_data)]
        zone = timezone.get_current_timezone()
        return any(isinstance(one, str) and not normalise_phone(one, zone) for one in new)

    def clean(self) -> None:
        """Check the settings and the items of lists, which the fields do not check."""
        super().clean()
        self._check_settings()
        self._check_items()

    def _check_settings(self) -> None:
        """Check that new settings map text to text (Spec: Borrower). Old values are not checked."""
        new, old = self.cleaned_data.get("settings-settings"), self.record.get("settings")
        if not isinstance(new, Mapping) or new is old:
            return
        kept = _as_object(old)
        for key, value in new.items():
            if not isinstance(value, str) and not (key in kept and same(kept[key], value)):
                words = _("The value of “%(key)s” must be text.") % {"key": key}
                self.add_error("settings-settings", words)
                return

    def _check_items(self) -> None:
        """Refuse a new item of a list if it lacks the id that distinguishes the items."""
        for field in list_fields("json"):
            old, new = self.record.get(field.name), self.cleaned_data.get(field.form_name)
            if _count_unnamed(new, field.item_id) > _count_unnamed(old, field.item_id):
                words = _("Enter “%(key)s” for each new item.") % {"key": field.item_id}
                self.add_error(field.form_name, words)

    def list_given(self, within: str) -> dict[str, object]:
        """Return the valid values of the fields in one object of the record.

        An empty value is included only if the record has its key.
        """
        values = {
            field.name: self.cleaned_data.get(field.form_name, MISSING)
            for field in FIELDS
            if field.within == within
        }
        return {name: value for name, value in values.items() if value is not MISSING}

    def result(self) -> dict[str, object]:
        """Return the record to send. Data that were not edited do not change."""
        whole = {**self.record, **self.list_given("")}
        before = self._before["individual"]
        person = {**before, **self.list_given("individual")}
        if person != before or isinstance(self.record.get("individual"), Mapping):
            whole["individual"] = person
        # A changed field of the company replaces the same value in the text of all its fields.
        company, own = _as_object(whole.get("company")), self._before["company"]
        keys = _find_company_keys(company)
        changed = {
            keys[name]: value
            for name, value in self.list_given("company").items()
            if value is not own.get(name, MISSING)
        }
        if changed:
            whole["company"] = {**company, **changed}
        return whole


class NewBorrowerForm(WriteForm, BorrowerForm):
    """Form of a new borrower, with the borrower's id.

    `required` are the names of the required fields, by category. The form has all fields, because a
    person may register a borrower without the right to see a borrower's data.
    """

    operation, is_new = "borrowers.create", True

    borrowerId = forms.CharField(
        label=_("Borrower id"),
        max_length=255,
        strip=True,
        help_text=_(
            "Generated by the dashboard. Change this id if you use your own numbers. It "
            "can't be changed later."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        record: Raw,
        required: Mapping[str, Sequence[str]],
        **options: Any,
    ) -> None:
        super().__init__(data, record=record, **options)
        self.required = required
        self.fields["general-category"].required = True
        if data is None:
            self.initial["general-category"] = record.get("category") or "individual"
            self.fields["individual-surname"].widget.attrs["autofocus"] = True
        # The labels of the required fields do not say that the fields are optional.
        for category, names in self.required.items():
            for name in names:
                if isinstance(field := self.fields.get(f"{category}-{name}"), WireField):
                    field.is_wanted = True

    @property
    def opens_technical(self) -> bool:
        """True if a folded section has an error or an entered value."""
        is_entered = not self.filled.isdisjoint(_TECHNICAL)
        return is_entered or bool(self["borrowerId"].errors) or super().opens_technical

    def clean_borrowerId(self) -> str:
        """Return the id.

        Raises ValidationError if the service does not accept the id, or if the id is too long for
        an address.
        """
        borrower_id = str(self.cleaned_data["borrowerId"])
        try:
            check_id(borrower_id)
        except InvalidId as error:
            raise ValidationError(_(error.message)) from error
        if len(quote(borrower_id)) > _LONGEST_ADDRESS:
            raise ValidationError(_("This id is too long."))
        return borrower_id

    def clean(self) -> None:
        """Check the fields that the lender requires. Each missing field is reported once."""
        super().clean()
        category = str(self.cleaned_data.get("general-category", ""))
        values = self.list_given(category)
        given = {name for name, value in values.items() if value not in (None, "")}
        if category == "company":
            text = _as_object(self.cleaned_data.get("open-company"))
            given |= {name for name, key in _find_company_keys(text).items() if text.get(key)}
        for name in self.required.get(category, ()):
            place = f"{category}-{name}"
            if name not in given and place in self.fields and place not in self.errors:
                self.add_error(place, self.fields[place].error_messages["required"])

    def result(self) -> dict[str, object]:
        """Return the body of Borrowers, Create."""
        return {"borrowerId": self.cleaned_data["borrowerId"], **super().result()}


def _as_object(value: object) -> Raw:
    return value if isinstance(value, Mapping) else {}


def _count_unnamed(items: object, item_id: str) -> int:
    """Return the number of items in a list that are not objects or have no id."""
    found = items if isinstance(items, list) else []
    return sum(not _as_object(item).get(item_id) for item in found)


def _find_company_keys(company: Raw) -> dict[str, str]:
    """Return the key in the company's data for each of the company's own fields."""
    found = {}
    for field in list_fields("company"):
        word, usual = field.in_company
        found[field.name] = next((key for key in company if word in key.lower()), usual)
    return found


class DeleteForm(WriteForm):
    """Form to delete a borrower; the person must type the id."""

    operation = "borrowers.delete"

    borrowerId = forms.CharField(
        label=_("Type the borrower's id to delete the borrower"),
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, data: Any, *, borrower_id: str, **options: Any) -> None:
        super().__init__(data, **options)
        self.borrower_id = borrower_id

    def clean_borrowerId(self) -> str:
        """Return the typed id. Raises ValidationError if it is not the borrower's id.

        Spaces before and after the id do not count.
        """
        typed = str(self.cleaned_data["borrowerId"])
        if typed.strip() != self.borrower_id.strip():
            raise ValidationError(
                _("The id that you typed is not this borrower's id."), code="another_id"
            )
        return typed
