"""The forms by which an event is reported: rows to fill in, or a file (Spec: Events, Create)."""

from collections.abc import Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

from django import forms
from django.http import QueryDict

from lendingadmin.display.templatetags.money import count
from lendingadmin.lending.values import timestamp_text
from lendingadmin.ui.fields import LineField
from lendingadmin.ui.uploads import LONGEST, CutOff

from . import files, rows
from .fields import SecondField
from .kinds import CAPTURED, CATEGORIES, KINDS, kind_of, named

_CORRECT = "Some values below need correcting."
_BY_THE_DATA, _NONE = "", "none"
_CATEGORY = [
    (_BY_THE_DATA, "by what the data is"),
    *((name, name) for name in CATEGORIES),
    (_NONE, "none"),
]


class EventForm(forms.Form):
    """What both ways ask for. `body` is the event as it would be sent, once the form is valid."""

    accountId = LineField(
        label="Account id",
        max_length=200,
        help_text="<code>&lt;type&gt;:&lt;id&gt;</code>, such as <code>borrower:B-17</code>.",
    )
    timestamp = SecondField(label="Captured at")
    category = forms.ChoiceField(
        choices=_CATEGORY,
        required=False,
        help_text="Marks data of one kind, so that its last capture can be found.",
    )
    domain = LineField(
        label="The service's domain",
        max_length=200,
        help_text="What stands before <code>/sms</code> in the kinds that this service knows.",
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

    def _body(
        self, account_id: object, event_type: object, when: object, data: list[Any], given: object
    ) -> dict[str, object]:
        body = {"accountId": account_id, "eventType": event_type, "timestamp": when, "data": data}
        chosen = self.cleaned_data["category"]
        category = None if chosen == _NONE else chosen or given or _category_of(data)
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
            self.add_error(None, "Fill in at least one value below.")

    def add_size_error(self, words: str) -> None:
        """Beside the longest of all texts."""
        texts = [
            (len(text), row, name)
            for section in self.sections
            for row in section.filled
            for name, text in row.cleaned_data.items()
            if isinstance(text, str)
        ]
        _, row, name = max(texts, key=itemgetter(0))
        row.add_error(name, words)
        self.add_error(None, _CORRECT)

    def leave_unexamined(self) -> None:
        """Show it again with more rows, without a word on what is not finished yet."""
        self._errors = forms.utils.ErrorDict()
        for section in self.sections:
            section.leave_unexamined()

    def body(self) -> dict[str, object]:
        """The event as it is sent."""
        entered = self.cleaned_data
        data = [
            {
                "kind": named(entered["domain"], section.kind.key),
                "values": [row.value() for row in section.filled],
            }
            for section in self.sections
            if section.filled
        ]
        when = timestamp_text(entered["timestamp"])
        return self._body(entered["accountId"], CAPTURED, when, data, None)


class FileForm(EventForm):
    """An event out of a file; what is left empty here is taken from the file.

    A file in `initial` is the one that was chosen before; it counts until another is chosen.
    `content` and `file_name` are those of the file that counts, once it could be read.
    """

    file = forms.FileField(
        widget=forms.FileInput,
        help_text="JSON: a whole event, an object with <code>data</code>, or the list of sets.",
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.content, self.file_name = b"", ""
        if self.initial.get("file"):
            self.fields["file"].required = False
            self.fields["file"].label = "Another file"
        for name in ("accountId", "timestamp", "domain"):
            self.fields[name].required = False
        self.fields["accountId"].help_text = "Leave it empty to take it from the file."
        self.fields["timestamp"].help_text = "Leave it empty to take it from the file."
        self.fields["domain"].help_text = "Put before kinds that the file gives without one."

    def clean_file(self) -> files.Uploaded:
        """The file's content, or why it can't be one."""
        sent = self.cleaned_data["file"]
        if isinstance(sent, CutOff):
            raise forms.ValidationError(
                f"The file is too long: {count(LONGEST)} bytes are read, "
                "and the service takes less."
            )
        content = sent.read()
        try:
            uploaded = files.read(content)
        except files.Unusable as why:
            raise forms.ValidationError(str(why)) from None
        self.content, self.file_name = content, sent.name
        return uploaded

    def clean(self) -> None:
        """Refuse a form and a file that say different things."""
        entered = self.cleaned_data
        uploaded = entered.get("file")
        theirs = uploaded.head.get("accountId") if uploaded else None
        if theirs and entered.get("accountId") and theirs != entered["accountId"]:
            self.add_error("accountId", "The file is of another account: correct one of the two.")

    def add_size_error(self, words: str) -> None:
        """Beside the file."""
        self.add_error("file", words)

    def body(self) -> dict[str, object]:
        """The event as it is sent; keys that the spec does not name are not taken over."""
        entered, uploaded = self.cleaned_data, self.cleaned_data["file"]
        head: Mapping[str, object] = uploaded.head
        entered_when = entered["timestamp"]
        return self._body(
            entered["accountId"] or head.get("accountId"),
            head.get("eventType", CAPTURED),
            timestamp_text(entered_when) if entered_when else _written(head.get("timestamp")),
            files.with_domain(uploaded.data, entered["domain"]),
            head.get("category"),
        )


def _written(when: object) -> object:
    """A file's timestamp as the service writes it; what is none stays, for the check to name."""
    try:
        found = datetime.fromisoformat(when) if isinstance(when, str) else None
        return timestamp_text(found) if found else when
    except (ValueError, OverflowError):
        return when


def _category_of(data: list[Any]) -> str | None:
    kinds = {kind_of(entry.get("kind")) if isinstance(entry, Mapping) else None for entry in data}
    names = {kind.key if kind else "" for kind in kinds}
    found = names.pop() if len(names) == 1 else ""
    return found if found in CATEGORIES and found in KINDS else None
