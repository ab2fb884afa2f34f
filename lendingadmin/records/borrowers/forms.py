"""The form of a borrower: every field of the spec, lists by rows, and what is open as text."""

from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.web.converters import quote
from lendingadmin.web.display.phones import normalise_phone
from lendingadmin.web.lists import whole_number
from lendingadmin.web.masking import WHOLE_RECORD, is_whole, may_edit

from .changes import same
from .keys import (
    BIOMETRICS,
    COMPANY,
    DEVICE,
    GENERAL,
    INDIVIDUAL,
    LABELS,
    LOAN,
    OF_COMPANY,
    OPEN_ENDED,
    SETTINGS,
    WHO,
    Key,
)
from .required import Required, list_missing, list_required
from .wirefields import LIST, MISSING, WireField

_DEVICES = Key("devices", gettext_noop("Devices"), LIST)
_LOANS = Key("loans", gettext_noop("Loans from elsewhere"), LIST)
_ITEM_LABELS = {
    "devices": gettext_noop("device"),
    "loans": gettext_noop("loan from elsewhere"),
}
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
                key.kind,
                raw.get(key.name, MISSING),
                label=gettext(key.label),
                help_text=gettext(key.hint),
            )
            if key.is_suggested:
                self.fields[key.name].widget.attrs["list"] = f"used-{key.name}"
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
        return any(str(self[name].value() or "").strip() for name in self.fields)


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
            self.fields["remove"] = forms.BooleanField(label=_("Remove this one"), required=False)
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
        name, label = self.names_itself.name, gettext(self.names_itself.label)
        begun = any(value is not MISSING for value in cleaned.values())
        if self.is_new and begun and cleaned.get(name, "") is MISSING:
            words = _("Give the %(label)s, or empty the whole row.")
            self.add_error(name, words % {"label": label.lower()})
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
        self.name, self.label = key.name, gettext(key.label)
        self.item_label = gettext(_ITEM_LABELS[key.name])
        self.raw = record.get(key.name, MISSING)
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
    def has_errors(self) -> bool:
        """Whether something in it is wrong."""
        return any(part.errors for part in (*self.forms, *filter(None, [self.json])))

    @property
    def is_filled(self) -> bool:
        """Whether there is something to be seen."""
        return self.json is not None or any(form.is_filled for form in self.forms)


class NewForm(forms.Form):
    """What only a new borrower is asked for."""

    borrowerId = forms.CharField(
        label=_("Borrower id"),
        max_length=255,
        strip=True,
        help_text=_(
            "Made up here; change it if you number otherwise. It stays as it is once saved."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_borrowerId(self) -> str:
        """An id that the service can be asked for, and that this dashboard has an address for."""
        borrower_id = str(self.cleaned_data["borrowerId"])
        try:
            check_id(borrower_id)
        except InvalidId as error:
            raise ValidationError(error.message) from error
        if len(quote(borrower_id)) > _LONGEST_ADDRESS:
            raise ValidationError(_("This id is too long."))
        return borrower_id


class BorrowerForm:
    """All of it. `record` is what it is filled from; `sent` what came back.

    A `new` borrower needs a category and what `required` says; an old one may do without as it
    came. With `check` off what was sent is shown again without a word about what is wrong with it:
    that is for a form that only asks for more rows. Of what the rights `held` do not open it has no
    field, and `result` leaves that as it came; a new borrower is written by those who may not see
    one, so that its form has all fields.
    """

    def __init__(
        self,
        record: Raw,
        sent: QueryDict | None = None,
        *,
        check: bool = True,
        new: bool = False,
        required: Required = (),
        held: Collection[str] = WHOLE_RECORD,
    ) -> None:
        check = check and sent is not None
        self.record, self.required, self._new = record, required, new
        held = WHOLE_RECORD if new else held
        self._asks_for_rows = sent is not None and "more" in sent
        self._person = _as_object(record.get("individual"))

        def part(keys: tuple[Key, ...], raw: Raw, prefix: str, *place: str) -> Part:
            open_keys = tuple(
                key for key in keys if may_edit(held, raw.get(key.name), *place, key.name)
            )
            return Part(open_keys, raw, sent=sent, check=check, prefix=prefix)

        labels = (LABELS,) if "labels" in record else ()
        self.who = part(WHO, record, "general")
        self.general = part(GENERAL, record, "general")
        self.individual = part(INDIVIDUAL, self._person, "individual", "individual")
        company = _as_object(record.get("company"))
        keys = _find_company_keys(company)
        own = {name: company[key] for name, key in keys.items() if key in company}
        is_odd = record.get("company") not in (None, company)
        self.company = part(() if is_odd else COMPANY, own, "company", "company")
        self.biometrics = part(BIOMETRICS, self._person, "biometrics", "individual")
        self.settings = part(SETTINGS, record, "settings")
        self.open_ended = part(OPEN_ENDED + labels, record, "open")
        # Their rows may hold what the spec does not name, and an item that is no object.
        lists = ((_DEVICES, DEVICE), (_LOANS, LOAN)) if is_whole(held) else ()
        self.rows = [Rows(key, keys, record, sent, check) for key, keys in lists]
        self.who.fields["category"].required = new
        if new and sent is None:
            self.who.initial["category"] = record.get("category") or "individual"
            self.individual.fields["surname"].widget.attrs["autofocus"] = True
        self._mark_wanted()

    def _mark_wanted(self) -> None:
        """Have the labels of what is required not say that it is optional."""
        for category, form in self._categories.items():
            for name in chain(*list_required(self.required, category)):
                if isinstance(field := form.fields.get(name), WireField):
                    field.is_wanted = True

    @property
    def _categories(self) -> dict[str, Part]:
        """The fields of each category that BORROWER_REQUIRED may name."""
        return {"individual": self.individual, "company": self.company}

    @property
    def parts(self) -> tuple[Part, ...]:
        """Everything but the rows."""
        people = (self.who, self.individual, self.company)
        return (*people, self.general, self.biometrics, self.settings, self.open_ended)

    def is_valid(self) -> bool:
        """Whether all of it can be sent; every message is beside its field."""
        checks = [part.is_valid() for part in self.parts]
        checks += [rows.is_valid() for rows in self.rows]
        return all([*checks, self._settings_are_texts(), self._has_required()])

    def _settings_are_texts(self) -> bool:
        """Settings map text to text (Spec: Borrower); what came otherwise may stay as it came."""
        new, old = self.settings.cleaned_data.get("settings"), self.record.get("settings")
        if not isinstance(new, Mapping) or new is old:
            return self.settings.is_valid()
        kept = old if isinstance(old, Mapping) else {}
        for key, value in new.items():
            if not isinstance(value, str) and not (key in kept and same(kept[key], value)):
                words = _("The value of “%(key)s” has to be text.") % {"key": key}
                self.settings.add_error("settings", words)
                return False
        return True

    def _has_required(self) -> bool:
        """Whether all is given that the lender requires; what is missing is said once."""
        category = str(self.who.cleaned_data.get("category", ""))
        form = self._categories.get(category)
        if form is None:
            return True
        given = {name for name, value in _only(form).items() if value not in (None, "")}
        if form is self.company:
            text = _as_object(self.open_ended.cleaned_data.get("company"))
            keys = _find_company_keys(text)
            given |= {name for name, key in keys.items() if text.get(key)}
        missing = list_missing(self.required, category, given)
        for name in missing:
            if name in form.fields and name not in form.errors:
                form.add_error(name, form.fields[name].error_messages["required"])
        return not missing

    @property
    def has_errors(self) -> bool:
        """Whether it was checked and something is wrong."""
        return self.who.is_bound and not self.is_valid()

    @property
    def opens_technical(self) -> bool:
        """Whether what is folded away has to be seen: something wrong, or entered by somebody.

        What a record holds anyway is seen by those who look for it.
        """
        parts = (self.general, self.biometrics, self.settings, self.open_ended)
        rows = self.rows
        has_errors = any(part.errors for part in parts) or any(one.has_errors for one in rows)
        is_filled = any(part.is_filled for part in parts) or any(one.is_filled for one in rows)
        is_entered = self._new and is_filled
        return has_errors or is_entered or self._asks_for_rows

    @property
    def has_odd_phone(self) -> bool:
        """Whether a phone number was typed that is none, and so stays as it was typed."""
        forms = [part for part in self._categories.values() if "phoneNumber" in part.changed_data]
        new = [part.cleaned_data["phoneNumber"] for part in forms]
        zone = timezone.get_current_timezone()
        return any(isinstance(one, str) and not normalise_phone(one, zone) for one in new)

    def result(self) -> dict[str, object]:
        """The record as it shall be, what is not edited here as it came."""
        whole = {
            **self.general.value(),
            **_only(self.who),
            **_only(self.settings),
            **_only(self.open_ended),
        }
        person = {**self._person, **_only(self.individual), **_only(self.biometrics)}
        if person != self._person or isinstance(self.record.get("individual"), Mapping):
            whole["individual"] = person
        # What has a field of its own counts where it was changed, else what stands in the text.
        company = _as_object(whole.get("company"))
        keys, own = _find_company_keys(company), self.company.raw
        changed = {
            keys[name]: value
            for name, value in _only(self.company).items()
            if value is not own.get(name, MISSING)
        }
        if changed:
            whole["company"] = {**company, **changed}
        for rows in self.rows:
            if (value := rows.value()) is not MISSING:
                whole[rows.name] = value
        return whole


def _as_object(value: object) -> Raw:
    return value if isinstance(value, Mapping) else {}


def _find_company_keys(company: Raw) -> dict[str, str]:
    """Under which key of a company each of its own fields stands."""
    return {
        name: next((key for key in company if word in key.lower()), usual)
        for name, (word, usual) in OF_COMPANY.items()
    }


def _only(part: Part) -> dict[str, object]:
    return {name: value for name, value in part.cleaned_data.items() if value is not MISSING}


class DeleteForm(forms.Form):
    """Deleting asks for the id, typed in."""

    borrowerId = forms.CharField(
        label=_("Type the borrower's id to delete it"),
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
            raise ValidationError(_("That is not this borrower's id."), code="another_id")
        return typed
