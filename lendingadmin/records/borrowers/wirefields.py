"""Form fields that show a JSON value as text, and return it unchanged if it was not edited.

If the text is the same as when it was shown, the field returns the old value with all digits and
keys. Only text that a person changed is parsed.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import simplejson
from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.values import timestamp_text
from lendingadmin.web import moments
from lendingadmin.web.dates import NO_ZONE, plausible
from lendingadmin.web.display.phones import normalise_phone
from lendingadmin.web.display.templatetags.money import count

from .fields import Field, Kind

# The mark of a missing key. A null is a value.
MISSING = object()
# A longer text is shown in part and can't be edited. A photo may be a complete file.
LONGEST_EDITED = 100_000

_UNSENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffd]")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


class FieldKind(NamedTuple):
    """One kind of value: how it is written for people, and read back.

    `read` gets text that is not empty, and may raise ValidationError. `empty` is the value for an
    empty text if there was a value before. `control` is the type of the input, "area" for several
    lines.
    """

    read: Callable[[str], object]
    write: Callable[[object], str | None]
    control: str = "text"
    empty: object = None
    choices: tuple[tuple[str, str], ...] = ()


def shown(kind: FieldKind, raw: object) -> str:
    """Return the initial text of a field: the value, as JSON if it has a wrong type, or empty."""
    if raw is MISSING or raw is None:
        return ""
    written = kind.write(raw)
    return as_json(raw) if written is None else written


def as_json(raw: object, *, indent: bool = False) -> str:
    """Return any value of the service as JSON, with all its digits."""
    text = encode(raw).decode()
    if not indent:
        return text
    value = simplejson.loads(text, use_decimal=True)
    return str(simplejson.dumps(value, use_decimal=True, ensure_ascii=False, indent=2))


def _write_text(raw: object) -> str | None:
    return raw if isinstance(raw, str) else None


def _write_number(raw: object) -> str | None:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)
    if isinstance(raw, Decimal) and abs(raw.adjusted()) < 40:
        return f"{raw:f}"
    return None


def _write_moment(raw: object) -> str | None:
    """Return the time in the lender's zone, to the second; None if it is not a time."""
    try:
        moment = datetime.fromisoformat(raw) if isinstance(raw, str) and "T" in raw else None
        if moment is None or not moment.tzinfo or moment.year < 1900:
            return None
        return moments.as_typed(moment, seconds=True)
    except (ValueError, OverflowError):
        return None


def _write_day(raw: object) -> str | None:
    try:
        return date.fromisoformat(raw).isoformat() if isinstance(raw, str) else None
    except ValueError:
        return None


def _read_phone(text: str) -> object:
    """Return the number in E.164, for the lender's country; other text does not change."""
    return normalise_phone(text, timezone.get_current_timezone()) or text


def _read_whole(text: str) -> object:
    if not _WHOLE.fullmatch(text):
        raise ValidationError(_("Enter a whole number in digits."))
    return int(text)


def _read_moment(text: str) -> object:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValidationError(_("Enter a date and a time, such as 2026-10-31T14:00.")) from None
    plausible(moment)
    if moment.tzinfo is None:
        moment = moments.in_current_zone(moment)
    return timestamp_text(moment.astimezone(UTC))


def _read_day(text: str) -> object:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValidationError(_("Enter a date, such as 1990-12-31.")) from None
    plausible(day)
    return day.isoformat()


def _write_open(raw: object) -> str | None:
    """Return lines `key: value` if they represent the value exactly, else JSON."""
    if isinstance(raw, Mapping) and raw and all(_is_line(*pair) for pair in raw.items()):
        return "\n".join(f"{key}: {value}" for key, value in raw.items())
    return as_json(raw, indent=True)


def _is_line(key: object, value: object) -> bool:
    if not (isinstance(key, str) and isinstance(value, str) and key):
        return False
    plain = key == key.strip() and value == value.strip() and ":" not in key
    return plain and f"{key}{value}".isprintable() and key[0] not in '{["'


def _read_object(text: str) -> object:
    value = read_open(text)
    if value is not None and not isinstance(value, Mapping):
        raise ValidationError(
            _("Enter keys and values: lines such as “key: value”, or {…} as JSON.")
        )
    return value


def _read_list(text: str) -> object:
    value = read_open(text) if text[0] == "[" else None
    if not isinstance(value, list):
        raise ValidationError(_("Enter a list as JSON, such as [“a”, “b”] with straight quotes."))
    return value


def read_open(text: str) -> object:
    """Read JSON of any shape, or lines `key: value`.

    Raises ValidationError with the place of the error.
    """
    try:
        return decode(text.encode())
    except (ValueError, RecursionError) as error:
        if text[0] in '{["':
            why = str(error)
            if isinstance(error, json.JSONDecodeError):
                given = {"words": error.msg, "line": error.lineno, "column": error.colno}
                why = _("%(words)s (line %(line)s, column %(column)s)") % given
            raise ValidationError(
                _("The text is not valid JSON: %(why)s.") % {"why": why}
            ) from None
    pairs: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        key, colon, value = line.partition(":")
        if not (colon and key.strip()):
            raise ValidationError(
                _("Line %(number)s is not written as “key: value”.") % {"number": number}
            )
        if key.strip() in pairs:
            words = _("The key “%(key)s” appears twice.")
            raise ValidationError(words % {"key": key.strip()})
        pairs[key.strip()] = value.strip()
    return pairs


_TEXT = FieldKind(str, _write_text)
KINDS: Mapping[Kind, FieldKind] = {
    "text": _TEXT,
    "word": _TEXT,
    "phone": FieldKind(_read_phone, _write_text, "tel"),
    "mail": FieldKind(str, _write_text, "email"),
    "whole": FieldKind(_read_whole, _write_number, "numeric"),
    "moment": FieldKind(_read_moment, _write_moment, "datetime-local"),
    "day": FieldKind(_read_day, _write_day, "date"),
    "open": FieldKind(_read_object, _write_open, "area"),
    "map": FieldKind(_read_object, _write_open, "area", empty={}),
    "list": FieldKind(_read_list, _write_open, "area", empty=[]),
    "category": FieldKind(
        str,
        _write_text,
        choices=(("individual", gettext_noop("individual")), ("company", gettext_noop("company"))),
    ),
    # Spec: Borrower. The example of a request has text where answers have a number.
    "status": FieldKind(str, lambda raw: raw if isinstance(raw, str) else _write_number(raw)),
}


class WireField(forms.CharField):
    """Field for one key of a JSON object, shown as text.

    `clean` returns the value for the JSON object, or MISSING to leave the key out.
    """

    def __init__(self, field: Field, raw: object) -> None:
        self.kind, self.raw = KINDS[field.kind], raw
        self.text = shown(self.kind, raw)
        # True if the lender requires this field of a new borrower.
        self.is_wanted = False
        super().__init__(
            label=_(field.label),
            help_text=_(field.hint),
            required=False,
            initial=self.text,
            widget=self._widget(),
            strip=False,
        )
        if field.kind == "day":
            self.zone_words = NO_ZONE
        if field.is_suggested:
            self.widget.attrs["list"] = f"used-{field.name}"
        if len(self.text) > LONGEST_EDITED:
            self.disabled = True
            self.initial = f"{self.text[:500]}…"
            words = _(
                "This value has %(count)s characters and is too long to be edited. The value "
                "is not changed."
            )
            self.help_text = words % {"count": count(len(self.text))}

    def _widget(self) -> forms.Widget:
        kind, odd = self.kind, self.text != "" and self.kind.write(self.raw) is None
        if kind.choices:
            choices = ((value, _(label)) for value, label in kind.choices)
            known = [("", _("—")), *choices]
            came = [] if self.text in dict(known) else [(self.text, self.text)]
            return forms.Select(choices=known + came)
        if kind.control == "area" or "\n" in self.text:
            rows = min(max(self.text.count("\n") + 1, 2), 20)
            return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "dir": "auto"})
        if odd or kind.control == "text":
            return forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"})
        if kind.control in ("tel", "email"):
            # With the input types of HTML, the browser would check the typed text.
            return forms.TextInput(attrs={"inputmode": kind.control, "autocomplete": "off"})
        if kind.control == "numeric":
            attrs = {"inputmode": kind.control, "autocomplete": "off", "class": "number"}
            return forms.TextInput(attrs=attrs)
        # A browser shows nothing for a value that its own control does not know.
        if kind.control == "datetime-local":
            return moments.MomentInput(seconds=True)
        return forms.TextInput(attrs={"type": kind.control})

    def clean(self, value: Any) -> Any:
        """Return the old raw value if the text is unchanged, else the value of the new text.

        Raises ValidationError.
        """
        if self.disabled:
            return self.raw
        text = _plain(str(value or ""))
        if text == _plain(self.text):
            if self.required and not text:
                raise ValidationError(self.error_messages["required"], code="required")
            return self.raw
        if not text:
            if self.required:
                raise ValidationError(self.error_messages["required"], code="required")
            return MISSING if self.raw is MISSING else self.kind.empty
        self.run_validators(text)
        if self.kind.choices and text not in dict(self.kind.choices):
            raise ValidationError(_("Choose from the list."))
        return self._kept_if_the_same(self.kind.read(text))

    def _kept_if_the_same(self, read: object) -> object:
        """Return the old raw value if the new text has the same value; else the new value.

        Browsers write some values in another form. A phone number is not compared, because an added
        country code is a change.
        """
        before = _plain(self.text)
        if not before or self.kind is KINDS["phone"]:
            return read
        try:
            same = as_json(self.kind.read(before)) == as_json(read)
        except (ValidationError, KeyError):
            same = False
        return self.raw if same else read


def _plain(text: str) -> str:
    """Return the text as a browser sends it, with plain line ends and no control characters."""
    return _UNSENT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
