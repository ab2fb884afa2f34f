"""Form fields that several areas have: money, one line of text, moments, ids, JSON."""

import json
import re
import secrets
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.functional import cached_property

from lendingadmin.display import formats
from lendingadmin.display.locales import decimal_sign
from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import check_id

from .dates import plausible
from .moments import MomentField

_PLAIN_NUMBER = re.compile(r"\d+(\.\d+)?")
# One to three digits, a point, three digits: thousands, to those who write a comma for decimals.
_TWO_WAYS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_FORM = "With a point for decimals and nothing between thousands: 1234.50."
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_ID = 255


def for_all(amount: str) -> str:
    """The amount so that everybody may write it: `01.234` for 1.234, which is read in two ways."""
    return f"0{amount}" if _TWO_WAYS.fullmatch(amount) else amount


class _Prefilled(forms.BoundField):
    """What the product itself fills in is accepted as it stands, from everybody."""

    @cached_property
    def initial(self) -> Any:
        found = super().initial
        text = f"{found:f}" if isinstance(found, Decimal) else found
        return for_all(text) if isinstance(text, str) and _writes_comma() else text


class AmountField(forms.DecimalField):
    """Money as everybody writes it in a form: digits, and a point for decimals.

    To somebody who reads 1.500 as fifteen hundred the hint says so, and what they may have meant
    otherwise is refused: an amount is never guessed.
    """

    bound_field_class = _Prefilled

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        if text and not (text.isascii() and _PLAIN_NUMBER.fullmatch(text)):
            raise forms.ValidationError(
                "Write digits only, with a point for decimals and nothing between thousands."
            )
        if _TWO_WAYS.fullmatch(text) and _writes_comma():
            whole, _, rest = text.partition(".")
            raise forms.ValidationError(
                f"“{text}” can be read in two ways. Write {whole}{rest} without a point, or "
                f"{for_all(text)} if it is a point for decimals."
            )
        return super().to_python(text)

    def get_bound_field(self, form: forms.BaseForm, field_name: str) -> forms.BoundField:
        """The field with its hint for the person at hand."""
        if _writes_comma() and _FORM not in str(self.help_text):
            self.help_text = f"{self.help_text} {_FORM}".strip()
        return super().get_bound_field(form, field_name)


class LineField(forms.CharField):
    """One line of text without control characters."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        if _CONTROL.search(text):
            raise forms.ValidationError("Leave out line breaks and control characters.")
        return text


class IdField(LineField):
    """An id that the service can be addressed with, and that looks like what it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=_LONGEST_ID, **options)

    def clean(self, value: Any) -> str:
        text = super().clean(value)
        if not text:
            return text
        try:
            check_id(text)
        except InvalidId as error:
            raise forms.ValidationError(str(error)) from error
        if any(unicodedata.category(letter) == "Cf" for letter in text):
            raise forms.ValidationError("It holds characters that can't be seen: type it again.")
        return text


class JsonObjectField(forms.CharField):
    """A JSON object as text; its cleaned value keeps every digit, as the client sends it."""

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
            where = f"line {error.lineno}, column {error.colno}"
            raise forms.ValidationError(f"This is no JSON: {error.msg} at {where}.") from error
        except ValueError as error:
            raise forms.ValidationError(f"This can't be sent as JSON: {error}.") from error
        if not isinstance(found, Mapping):
            raise forms.ValidationError("Give a JSON object: {…}.")
        return found


def _writes_comma() -> bool:
    return decimal_sign(formats.locale()) == ","


def moment_field(**options: Any) -> MomentField:
    """A day and time to the minute, in the current zone: the lender's on an app's pages."""
    return MomentField(**options)


def day_field(*, zone_words: str | None = None, **options: Any) -> forms.DateField:
    """A calendar day; `options` are the field's, and overrule what is usual here.

    `zone_words` says in which zone the day is meant, if not in the current one (see `dates`).
    """
    usual: dict[str, Any] = {
        "widget": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        "validators": [plausible],
    }
    field = forms.DateField(**{**usual, **options})
    field.zone_words = zone_words  # type: ignore[attr-defined]
    return field


def minted_account_id() -> str:
    """A new id for a loan account, such as `LN-261120-9F3A07C1`; a person may change it."""
    return f"LN-{timezone.localdate():%y%m%d}-{secrets.token_hex(4).upper()}"
