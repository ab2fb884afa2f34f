"""Form fields that several areas use: money, one line of text, times, ids, JSON."""

import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import count
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id
from lendingadmin.web.display import formats
from lendingadmin.web.display.amounts import (
    Ambiguous,
    OtherCurrency,
    Unreadable,
    parse_amount,
    write_for_all,
)
from lendingadmin.web.display.money import currency_decimals
from lendingadmin.web.display.numbers import decimals_of

from .dates import plausible
from .moments import MomentField

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_ID = 255
_MORE_ROWS = 3


class _Prefilled(forms.BoundField):
    """A field whose initial amount is valid in every locale and has all its decimals."""

    field: "AmountField"

    @cached_property
    def initial(self) -> Any:
        found = super().initial
        if isinstance(found, Decimal):
            carried = decimals_of(found)
            decimals = carried and max(carried, currency_decimals(self.field.currency))
            found = f"{found:.{decimals}f}"
        return write_for_all(found) if isinstance(found, str) else found


class AmountField(forms.DecimalField):
    """Money as people write it: `3,500`, `3 500.50`, `KES 3500`, `3500/=`.

    An amount is never guessed. If a text can mean two amounts, the error names both. Forms set
    `currency` to the ISO 4217 code that the text may have. Without `currency`, the text may not
    have a currency.
    """

    bound_field_class = _Prefilled
    # A number input drops a text that is not a number, so the form could not show this text again.
    widget = forms.TextInput
    currency = ""

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        if not text:
            return super().to_python(text)
        try:
            amount = parse_amount(text, self.currency, formats.locale())
        except Ambiguous as found:
            one, other = found.readings
            raise forms.ValidationError(
                _("“%(text)s” can mean %(one)s or %(other)s. Enter the amount that you mean.")
                % {"text": text, "one": one, "other": other},
                code="ambiguous",
            ) from None
        except OtherCurrency as found:
            raise forms.ValidationError(
                _("Enter the amount in %(currency)s. “%(mark)s” is the sign of another currency.")
                % {"currency": self.currency, "mark": found.mark},
                code="currency",
            ) from None
        except Unreadable:
            raise forms.ValidationError(
                _("Enter the amount in digits, such as 3500 or 1234.50."), code="unreadable"
            ) from None
        return super().to_python(amount)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Return the attributes of the field.

        With these attributes, a phone shows a keyboard with digits, the digits are aligned right,
        and the browser suggests no earlier values.
        """
        usual = {"inputmode": "decimal", "autocomplete": "off", "class": "number"}
        return super().widget_attrs(widget) | usual


class LineField(forms.CharField):
    """One line of text without control characters."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if _CONTROL.search(text):
            words = _("Leave out line breaks and control characters.")
            raise forms.ValidationError(words, code="control")
        return text


class IdField(LineField):
    """An id that the service accepts in an address and that has no invisible characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=_LONGEST_ID, **options)

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if not text:
            return text
        try:
            check_id(text)
        except InvalidId as error:
            raise forms.ValidationError(str(error), code="no_id") from error
        if any(unicodedata.category(letter) == "Cf" for letter in text):
            words = _("This text has invisible characters. Type the text again.")
            raise forms.ValidationError(words, code="invisible")
        return text


class JsonObjectField(forms.CharField):
    """A JSON object as text.

    The cleaned value is the object with every digit, ready to send; None for an empty text.
    """

    def __init__(self, **options: Any) -> None:
        rows = options.pop("rows", 6)
        attrs = {"rows": rows, "class": "mono", "spellcheck": "false", "autocomplete": "off"}
        super().__init__(widget=forms.Textarea(attrs=attrs), **options)

    def clean(self, value: Any) -> Any:
        text = str(super().clean(value))
        if not text:
            return None
        try:
            found = decode(text.encode())
            encode(found)
        except json.JSONDecodeError as error:
            words = _(
                "The text is not valid JSON: %(problem)s at line %(line)s, column %(column)s."
            )
            given = {"problem": error.msg, "line": error.lineno, "column": error.colno}
            raise forms.ValidationError(words % given, code="not_json") from error
        except ValueError as error:
            words = _("This value can't be sent as JSON: %(problem)s.") % {"problem": error}
            raise forms.ValidationError(words, code="not_json") from error
        if not isinstance(found, Mapping):
            raise forms.ValidationError(_("Enter a JSON object: {…}."), code="no_object")
        return found


class _PairWidget(forms.MultiWidget):
    use_fieldset = True

    def decompress(self, value: Any) -> list[Any]:
        """Return the stored pair; two None for an empty value."""
        return list(value or (None, None))


class PairField(forms.MultiValueField):
    """Two labelled fields side by side. Subclasses join their values."""

    def __init__(self, parts: Mapping[str, forms.Field], **options: Any) -> None:
        for part in parts.values():
            part.required = False
            part.widget.attrs["aria-label"] = part.label
        widget = _PairWidget({name: part.widget for name, part in parts.items()})
        super().__init__(
            list(parts.values()),
            require_all_fields=False,
            required=False,
            widget=widget,
            **options,
        )
        self.is_wanted = True


def list_rows(data: Any, start: str, end: str, *, stored: int, most: int) -> list[str]:
    """Return the field names of the rows of a form, such as `closed0`, with some empty rows.

    `data` is the sent form, in which `closed0_day` is a part of the first row; None before a form
    was sent. `stored` is the number of stored rows.
    """
    rows = stored + _MORE_ROWS
    if data is not None:
        rows = next(number for number in count() if f"{start}{number}_{end}" not in data)
    return [f"{start}{number}" for number in range(min(rows, most))]


def refuse_twice(form: forms.Form, names: Iterable[str], words: str) -> None:
    """Add an error to each row whose first value is also in an earlier row."""
    seen = set()
    for name in names:
        row = form.cleaned_data.get(name)
        if row and row[0] in seen:
            form.add_error(name, forms.ValidationError(words, code="twice"))
        seen |= {row[0]} if row else set()


def moment_field(**options: Any) -> MomentField:
    """Return a field for a day and time to the minute, in the current zone."""
    return MomentField(**options)


def day_field(*, zone_words: str | None = None, **options: Any) -> forms.DateField:
    """Return a field for a calendar day; `options` replace the usual options of the field.

    `zone_words` names the zone of the day, if it is not the current zone (see `dates`).
    """
    usual: dict[str, Any] = {
        "widget": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        "validators": [plausible],
    }
    field = forms.DateField(**{**usual, **options})
    field.zone_words = zone_words  # type: ignore[attr-defined]
    return field


def minted_account_id() -> str:
    """Return a new id for a loan account, such as `LN-261120-9F3A07C1`.

    A person may change it.
    """
    return f"LN-{timezone.localdate():%y%m%d}-{secrets.token_hex(4).upper()}"


def minted_borrower_id() -> str:
    """Return a new id for a borrower, such as `B-261120-9F3A07C1`; a person may change it."""
    return f"B-{timezone.localdate():%y%m%d}-{secrets.token_hex(4).upper()}"
