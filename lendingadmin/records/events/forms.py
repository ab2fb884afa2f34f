"""The forms that report an event: pasted JSON, or a file (Spec: Events, Create)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from lendingadmin.lending import codec
from lendingadmin.lending.values import timestamp_text
from lendingadmin.web.display.templatetags.money import count
from lendingadmin.web.fields import LineField
from lendingadmin.web.moments import MomentField
from lendingadmin.web.uploads import LONGEST, CutOff

from .checking import parse_time
from .kinds import CAPTURED, CATEGORIES, add_domain, find_kind

_BY_THE_DATA, _NONE = "", "none"
_CATEGORY = [
    (_BY_THE_DATA, _("from the data")),
    *((name, name) for name in CATEGORIES),
    (_NONE, _("none")),
]


class EventForm(forms.Form):
    """Form for an event in JSON; the value of an empty field comes from the JSON.

    `source` is the name of the field with the JSON. `content` and `file_name` belong to the last
    readable file.
    """

    source = ""
    content, file_name = b"", ""

    accountId = LineField(
        label=_("Account id"),
        max_length=200,
        required=False,
        help_text=_("Leave empty to use the JSON."),
    )
    # With seconds, because two events may be a second apart.
    timestamp = MomentField(
        label=_("Captured at"),
        seconds=True,
        required=False,
        help_text=_("Leave empty to use the JSON."),
    )
    category = forms.ChoiceField(
        choices=_CATEGORY,
        required=False,
        help_text=_("With the category, the newest data of this kind can be found."),
    )
    domain = LineField(
        label=_("The service's domain"),
        max_length=200,
        required=False,
        help_text=_("The domain is added to kinds without a domain in the JSON."),
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.fields["domain"].widget.attrs["autocapitalize"] = "off"

    def clean_domain(self) -> str:
        """Return the domain without the slash after it."""
        return str(self.cleaned_data["domain"]).strip("/")

    def clean(self) -> None:
        """Refuse an account in the form that differs from the account in the JSON."""
        entered = self.cleaned_data
        given = entered.get(self.source)
        theirs = given.head.get("accountId") if given else None
        if theirs and entered.get("accountId") and theirs != entered["accountId"]:
            words = _(
                "The account id in the JSON differs from the account id in the form. Correct "
                "one of the two ids."
            )
            self.add_error("accountId", forms.ValidationError(words, code="other_account"))

    def body(self) -> dict[str, object]:
        """Return the event to send. Keys that the spec does not name are not copied."""
        entered, given = self.cleaned_data, self.cleaned_data[self.source]
        head: Mapping[str, object] = given.head
        # The time in the form of the service. A wrong time is not changed, and the check reports
        # it.
        when = entered["timestamp"] or parse_time(head.get("timestamp"))
        data = _add_domains(given.data, entered["domain"])
        body = {
            "accountId": entered["accountId"] or head.get("accountId"),
            "eventType": head.get("eventType", CAPTURED),
            "timestamp": timestamp_text(when) if when else head.get("timestamp"),
            "data": data,
        }
        chosen = entered["category"]
        category = (
            None if chosen == _NONE else chosen or head.get("category") or _find_category(data)
        )
        return body if category is None else body | {"category": category}


class PastedForm(EventForm):
    """Form for an event as pasted JSON."""

    source = "pasted"

    pasted = forms.CharField(
        label=_("JSON"),
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono", "spellcheck": "false"}),
        help_text=_("A complete event, an object with <code>data</code>, or the list of sets."),
    )

    def clean_pasted(self) -> "Given":
        """Return the content of the pasted JSON. Raise ValidationError if it is not an event."""
        return read_json(self.cleaned_data["pasted"].encode())


class FileForm(EventForm):
    """Form for an event from a file.

    A file in `initial` was chosen before, and is used until another is chosen.
    """

    source = "file"

    file = forms.FileField(
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        help_text=_(
            "JSON: a complete event, an object with <code>data</code>, or the list of sets."
        ),
    )

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        if self.initial.get("file"):
            self.fields["file"].required = False
            self.fields["file"].label = _("Another file")

    def clean_file(self) -> "Given":
        """Return the content of the JSON file, and set `content` and `file_name`.

        Raise ValidationError if the file is too long or is not an event in JSON.
        """
        sent = self.cleaned_data["file"]
        if isinstance(sent, CutOff):
            words = _(
                "The file is too long. The dashboard reads at most %(count)s bytes, and the "
                "service accepts even less."
            )
            raise forms.ValidationError(words % {"count": count(LONGEST)}, code="too_long")
        if not sent.name.casefold().endswith(".json"):
            words = _("Choose a JSON file. The file's name must end in .json.")
            raise forms.ValidationError(words, code="name")
        content = sent.read()
        given = read_json(content)
        self.content, self.file_name = content, sent.name
        return given


@dataclass(frozen=True)
class Given:
    """Content of the JSON; `head` has the fields other than the data."""

    data: list[object]
    head: Mapping[str, object] = field(default_factory=dict)


def read_json(content: bytes) -> Given:
    """Return the content of JSON: an event, an object with `data`, or only the list of sets.

    Raise ValidationError for any other text.
    """
    try:
        found = codec.decode(content)
    except (ValueError, RecursionError):
        raise forms.ValidationError(_("The text is not JSON in UTF-8."), code="not_json") from None
    if isinstance(found, list):
        return Given(found)
    if not isinstance(found, dict) or not isinstance(found.get("data"), list):
        words = _("The JSON must be an event with a list “data”, or only this list.")
        raise forms.ValidationError(words, code="no_list")
    return Given(found["data"], {key: found[key] for key in found if key != "data"})


def _add_domains(data: list[object], domain: str) -> list[object]:
    """Return the sets, with the domain added to each kind that has none."""
    return [
        {**entry, "kind": add_domain(domain, entry["kind"])}
        if isinstance(entry, Mapping) and isinstance(entry.get("kind"), str)
        else entry
        for entry in data
    ]


def _find_category(data: list[Any]) -> str | None:
    kinds = {find_kind(entry.get("kind")) if isinstance(entry, Mapping) else None for entry in data}
    names = {kind.key if kind else "" for kind in kinds}
    found = names.pop() if len(names) == 1 else ""
    return found if found in CATEGORIES else None
