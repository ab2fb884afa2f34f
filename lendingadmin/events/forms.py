"""The forms by which an event is reported: rows to fill in, or a file (Spec: Events, Create)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from lendingadmin.display.templatetags.money import count
from lendingadmin.lending import codec
from lendingadmin.lending.values import timestamp_text
from lendingadmin.ui.fields import LineField
from lendingadmin.ui.uploads import LONGEST, CutOff

from . import rows
from .checking import parse_time
from .fields import SecondField
from .kinds import CAPTURED, CATEGORIES, KINDS, add_domain, find_kind

_CORRECT = _("Some values below need correcting.")
_BY_THE_DATA, _NONE = "", "none"
_CATEGORY = [
    (_BY_THE_DATA, _("by what the data is")),
    *((name, name) for name in CATEGORIES),
    (_NONE, _("none")),
]


class EventForm(forms.Form):
    """What both ways ask for. `body` is the event as it would be sent, once the form is valid.

    `content` and `file_name` are those of the file that counts, once it could be read.
    """

    content, file_name = b"", ""

    accountId = LineField(
        label=_("Account id"),
        max_length=200,
        help_text=_("<code>&lt;type&gt;:&lt;id&gt;</code>, such as <code>borrower:B-17</code>."),
    )
    timestamp = SecondField(label=_("Captured at"))
    category = forms.ChoiceField(
        choices=_CATEGORY,
        required=False,
        help_text=_("Marks data of one kind, so that its last capture can be found."),
    )
    domain = LineField(
        label=_("The service's domain"),
        max_length=200,
        help_text=_("What stands before <code>/sms</code> in the kinds that this service knows."),
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.fields["domain"].widget.attrs["autocapitalize"] = "off"

    def clean_domain(self) -> str:
        """The domain without the slash that follows it."""
        return str(self.cleaned_data["domain"]).strip("/")

    def body(self) -> dict[str, object]:
        """The event as it is sent."""
        raise NotImplementedError

    def add_size_error(self, words: str) -> None:
        """Say beside the field that holds most of it that the event is too large."""
        raise NotImplementedError

    def _build_body(
        self, account_id: object, event_type: object, when: object, data: list[Any], given: object
    ) -> dict[str, object]:
        body = {"accountId": account_id, "eventType": event_type, "timestamp": when, "data": data}
        chosen = self.cleaned_data["category"]
        category = None if chosen == _NONE else chosen or given or _find_category(data)
        return body if category is None else body | {"category": category}


class RowsForm(EventForm):
    """An event whose values are typed in, kind by kind."""

    def __init__(self, data: QueryDict | None = None, **kw: Any) -> None:
        super().__init__(data, **kw)
        self.sections = rows.sections(data)

    def clean(self) -> None:
        """The rows count too: they are checked with the form."""
        if not all([section.rows.is_valid() for section in self.sections]):
            self.add_error(None, _CORRECT)
        elif not any(section.filled for section in self.sections):
            self.add_error(None, _("Fill in at least one value below."))

    def add_size_error(self, words: str) -> None:
        """Beside the longest of all texts."""
        texts = [
            (len(text), row, name)
            for section in self.sections
            for row in section.filled
            for name, text in row.cleaned_data.items()
            if isinstance(text, str)
        ]
        _length, row, name = max(texts, key=itemgetter(0))
        row.add_error(name, words)
        self.add_error(None, _CORRECT)

    def leave_unexamined(self) -> None:
        """Show it again with more rows, without errors of what is not finished yet."""
        self._errors = forms.utils.ErrorDict()
        for section in self.sections:
            section.leave_unexamined()

    def body(self) -> dict[str, object]:
        """The event as it is sent."""
        entered = self.cleaned_data
        data = [
            {
                "kind": add_domain(entered["domain"], section.kind.key),
                "values": [row.value() for row in section.filled],
            }
            for section in self.sections
            if section.filled
        ]
        when = timestamp_text(entered["timestamp"])
        return self._build_body(entered["accountId"], CAPTURED, when, data, None)


class FileForm(EventForm):
    """An event out of a file; what is left empty here is taken from the file.

    A file in `initial` is the one that was chosen before; it counts until another is chosen.
    """

    file = forms.FileField(
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        help_text=_("JSON: a whole event, an object with <code>data</code>, or the list of sets."),
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        if self.initial.get("file"):
            self.fields["file"].required = False
            self.fields["file"].label = _("Another file")
        for name in ("accountId", "timestamp", "domain"):
            self.fields[name].required = False
        self.fields["accountId"].help_text = _("Leave it empty to take it from the file.")
        self.fields["timestamp"].help_text = _("Leave it empty to take it from the file.")
        self.fields["domain"].help_text = _("Put before kinds that the file gives without one.")

    def clean_file(self) -> "Upload":
        """The file's content, or why it can't be one."""
        sent = self.cleaned_data["file"]
        if isinstance(sent, CutOff):
            raise forms.ValidationError(
                _("The file is too long: %(count)s bytes are read, and the service takes less.")
                % {"count": count(LONGEST)}
            )
        if not sent.name.casefold().endswith(".json"):
            raise forms.ValidationError(_("Choose a file of JSON: its name ends in .json."))
        content = sent.read()
        uploaded = read_upload(content)
        self.content, self.file_name = content, sent.name
        return uploaded

    def clean(self) -> None:
        """Refuse a form and a file that say different things."""
        entered = self.cleaned_data
        uploaded = entered.get("file")
        theirs = uploaded.head.get("accountId") if uploaded else None
        if theirs and entered.get("accountId") and theirs != entered["accountId"]:
            self.add_error(
                "accountId", _("The file is of another account: correct one of the two.")
            )

    def add_size_error(self, words: str) -> None:
        """Beside the file."""
        self.add_error("file", words)

    def body(self) -> dict[str, object]:
        """The event as it is sent; keys that the spec does not name are not taken over."""
        entered, uploaded = self.cleaned_data, self.cleaned_data["file"]
        head: Mapping[str, object] = uploaded.head
        entered_when = entered["timestamp"]
        return self._build_body(
            entered["accountId"] or head.get("accountId"),
            head.get("eventType", CAPTURED),
            timestamp_text(entered_when) if entered_when else _write_time(head.get("timestamp")),
            _add_domains(uploaded.data, entered["domain"]),
            head.get("category"),
        )


@dataclass(frozen=True)
class Upload:
    """What a file says; `head` holds what it gives beside the data."""

    data: list[object]
    head: Mapping[str, object] = field(default_factory=dict)


def read_upload(content: bytes) -> Upload:
    """Read a file: an event, an object with `data`, or the list of sets alone.

    Raises ValidationError.
    """
    try:
        found = codec.decode(content)
    except (ValueError, RecursionError):
        raise forms.ValidationError(_("This is not a file of JSON in UTF-8.")) from None
    if isinstance(found, list):
        return Upload(found)
    if not isinstance(found, dict) or not isinstance(found.get("data"), list):
        raise forms.ValidationError(
            _("The file holds an event with a list “data”, or that list alone.")
        )
    return Upload(found["data"], {key: found[key] for key in found if key != "data"})


def _add_domains(data: list[object], domain: str) -> list[object]:
    """The sets with the domain before each kind that is written without one."""
    return [
        {**entry, "kind": add_domain(domain, entry["kind"])}
        if isinstance(entry, Mapping) and isinstance(entry.get("kind"), str)
        else entry
        for entry in data
    ]


def _write_time(when: object) -> object:
    """A file's timestamp as the service writes it; what is none stays, for the check to name."""
    found = parse_time(when)
    return timestamp_text(found) if found else when


def _find_category(data: list[Any]) -> str | None:
    kinds = {find_kind(entry.get("kind")) if isinstance(entry, Mapping) else None for entry in data}
    names = {kind.key if kind else "" for kind in kinds}
    found = names.pop() if len(names) == 1 else ""
    return found if found in CATEGORIES and found in KINDS else None
