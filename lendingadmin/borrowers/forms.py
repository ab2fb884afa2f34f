"""The form of a borrower: every field of the spec, lists by rows, and what is open as text."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.ui.converters import quote
from lendingadmin.ui.lists import whole_number

from .changes import same
from .keys import (
    BIOMETRICS,
    DEVICE,
    GENERAL,
    INDIVIDUAL,
    LABELS,
    LOAN,
    OPEN_ENDED,
    SETTINGS,
    Key,
)
from .wirefields import LIST, MISSING, WireField

BLANK_ROWS = 2
MORE_ROWS = 3
# Longer lists are edited as JSON: a form of a thousand fields is refused.
MOST_ROWS = 30
_LONGEST_ADDRESS = 900

Raw = Mapping[str, object]


class Part(forms.Form):
    """Some keys of one JSON object. `value` is the object with what was changed, all else kept."""

    def __init__(
        self, keys: tuple[Key, ...], raw: Raw, *, sent: QueryDict | None, check: bool, prefix: str
    ) -> None:
        super().__init__(sent if check else None, prefix=prefix)
        self.raw = raw
        for key in keys:
            self.fields[key.name] = WireField(
                key.kind, raw.get(key.name, MISSING), label=key.label, help_text=key.hint
            )
            if sent is not None and not check and not self.fields[key.name].disabled:
                name = self.add_prefix(key.name)
                self.initial[key.name] = sent.get(name, self.fields[key.name].initial)

    def value(self) -> dict[str, object]:
        """The object as it goes to the service, without keys that were absent and stayed empty."""
        new = {name: value for name, value in self.cleaned_data.items() if value is not MISSING}
        return {**self.raw, **new}

    @property
    def is_filled(self) -> bool:
        """Whether any of its fields holds something, so that it has to be seen."""
        return any(self[name].value() not in ("", None) for name in self.fields)


class RowForm(Part):
    """One row of a list: a device, a loan summary. `odd` is an item that is no object."""

    def __init__(self, keys: tuple[Key, ...], item: object, **options: Any) -> None:
        self.is_new = item is MISSING
        self.odd = None if self.is_new or isinstance(item, Mapping) else item
        self.item = item
        raw = item if isinstance(item, Mapping) else {}
        super().__init__(() if self.is_odd else keys, raw, **options)
        self.names_itself = keys[0]
        if not self.is_new:
            self.fields["remove"] = forms.BooleanField(label="Remove this one", required=False)
            sent, name = options["sent"], self.add_prefix("remove")
            if sent is not None and not options["check"]:
                self.initial["remove"] = name in sent

    @property
    def is_odd(self) -> bool:
        """Whether the item is no object, so that it can only be kept or removed."""
        return not self.is_new and not isinstance(self.item, Mapping)

    def clean(self) -> dict[str, Any]:
        """A row that somebody began needs the id that tells it from the others."""
        cleaned = super().clean() or self.cleaned_data
        name, label = self.names_itself.name, self.names_itself.label
        begun = any(value is not MISSING for value in cleaned.values())
        if self.is_new and begun and cleaned.get(name, "") is MISSING:
            self.add_error(name, f"Give the {label.lower()}, or empty the whole row.")
        return cleaned

    def result(self) -> object:
        """The item as it goes to the service; MISSING for a removed one and for an empty row."""
        if self.cleaned_data.pop("remove", False):
            return MISSING
        if self.is_odd:
            return self.item
        return self.value() or (MISSING if self.is_new else {})


class Rows:
    """A list of objects by rows, some of them blank; one that can't be shown so, as JSON."""

    def __init__(
        self, key: Key, keys: tuple[Key, ...], record: Raw, sent: QueryDict | None, check: bool
    ) -> None:
        self.name, self.label, self.raw = key.name, key.label, record.get(key.name, MISSING)
        self.json: Part | None = None
        self.forms: list[RowForm] = []
        items = [] if self.raw is MISSING or self.raw is None else self.raw
        if not isinstance(items, list) or len(items) > MOST_ROWS:
            self.json = Part((key,), record, sent=sent, check=check, prefix="json")
            return
        asked = whole_number(sent.get(f"{key.name}-rows")) if sent is not None else 0
        more = MORE_ROWS if sent is not None and sent.get("more") == key.name else 0
        self.count = min(max(len(items) + BLANK_ROWS, asked) + more, MOST_ROWS + BLANK_ROWS)
        self.may_grow = self.count < MOST_ROWS + BLANK_ROWS
        for number in range(self.count):
            item = items[number] if number < len(items) else MISSING
            prefix = f"{key.name}-{number}"
            self.forms.append(RowForm(keys, item, sent=sent, check=check, prefix=prefix))

    def is_valid(self) -> bool:
        """Whether every row can be sent."""
        parts: list[Part] = [self.json] if self.json else [*self.forms]
        return all([part.is_valid() for part in parts])

    def value(self) -> object:
        """The list as it goes to the service; MISSING where there was none and still is none."""
        if self.json:
            return self.json.cleaned_data[self.name]
        found = [item for form in self.forms if (item := form.result()) is not MISSING]
        had_none = self.raw is MISSING or not self.raw
        return self.raw if had_none and not found else found

    @property
    def is_filled(self) -> bool:
        """Whether there is something to be seen."""
        return self.json is not None or any(form.is_filled for form in self.forms)


class NewForm(forms.Form):
    """What only a new borrower is asked for."""

    borrowerId = forms.CharField(
        label="Borrower id",
        max_length=255,
        strip=True,
        help_text="Unique within this app; it can't be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_borrowerId(self) -> str:
        """An id that the service can be asked for, and that this dashboard has an address for."""
        borrower_id = str(self.cleaned_data["borrowerId"])
        try:
            check_id(borrower_id)
        except InvalidId as error:
            raise ValidationError(error.message) from error
        if len(quote(borrower_id)) > _LONGEST_ADDRESS:
            raise ValidationError("This id is too long.")
        return borrower_id


class BorrowerForm:
    """All of it. `record` is what it is filled from; `sent` what came back.

    A `new` borrower needs a category, an old one may do without as it came.
    With `check` off what was sent is shown again without a word about what is wrong with it: that
    is for a form that only asks for more rows.
    """

    def __init__(
        self,
        record: Raw,
        sent: QueryDict | None = None,
        *,
        check: bool = True,
        new: bool = False,
    ) -> None:
        check = check and sent is not None
        self.record = record
        person = record.get("individual")
        self._person = person if isinstance(person, Mapping) else {}

        def part(keys: tuple[Key, ...], raw: Raw, prefix: str) -> Part:
            return Part(keys, raw, sent=sent, check=check, prefix=prefix)

        labels = (LABELS,) if "labels" in record else ()
        self.general = part(GENERAL, record, "general")
        self.individual = part(INDIVIDUAL, self._person, "individual")
        self.biometrics = part(BIOMETRICS, self._person, "biometrics")
        self.settings = part(SETTINGS, record, "settings")
        self.open_ended = part(OPEN_ENDED + labels, record, "open")
        self.devices = Rows(Key("devices", "Devices", LIST), DEVICE, record, sent, check)
        self.loans = Rows(Key("loans", "Loan summaries", LIST), LOAN, record, sent, check)
        self.general.fields["category"].required = new
        if new and sent is None:
            self.general.initial["category"] = "individual"

    def is_valid(self) -> bool:
        """Whether all of it can be sent; every message is beside its field."""
        parts = (self.general, self.individual, self.biometrics, self.settings, self.open_ended)
        valid = all([part.is_valid() for part in (*parts, self.devices, self.loans)])
        return self._settings_are_texts() and valid

    def _settings_are_texts(self) -> bool:
        """Settings map text to text (Spec: Borrower); what came otherwise may stay as it came."""
        new, old = self.settings.cleaned_data.get("settings"), self.record.get("settings")
        if not isinstance(new, Mapping) or new is old:
            return self.settings.is_valid()
        kept = old if isinstance(old, Mapping) else {}
        for key, value in new.items():
            if not isinstance(value, str) and not (key in kept and same(kept[key], value)):
                self.settings.add_error("settings", f"The value of “{key}” has to be text.")
                return False
        return True

    @property
    def has_errors(self) -> bool:
        """Whether it was checked and something is wrong."""
        return self.general.is_bound and not self.is_valid()

    def result(self) -> dict[str, object]:
        """The record as it shall be, what is not edited here as it came."""
        whole = {
            **self.general.value(),
            **_only(self.settings),
            **_only(self.open_ended),
        }
        person = {**self._person, **_only(self.individual), **_only(self.biometrics)}
        if person != self._person or isinstance(self.record.get("individual"), Mapping):
            whole["individual"] = person
        for rows in (self.devices, self.loans):
            if (value := rows.value()) is not MISSING:
                whole[rows.name] = value
        return whole


def _only(part: Part) -> dict[str, object]:
    return {name: value for name, value in part.cleaned_data.items() if value is not MISSING}


class DeleteForm(forms.Form):
    """Deleting asks for the id, typed in."""

    borrowerId = forms.CharField(
        label="Type the borrower's id to delete it",
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, data: Any, *, borrower_id: str) -> None:
        super().__init__(data)
        self.borrower_id = borrower_id

    def clean_borrowerId(self) -> str:
        """The very id, to the letter."""
        typed = str(self.cleaned_data["borrowerId"])
        if typed.strip() != self.borrower_id.strip():
            raise ValidationError("That is not this borrower's id.")
        return typed
