"""The controls above a list, drawn by Python.

Ten of them took longer by Django's widget templates, which draw each option of a choice by two of
their own, than the fifty rows below them.
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.safestring import SafeString

from .tables import to_html


def draw(form: forms.Form) -> SafeString:
    """The fields of a filter: label, control, and what is wrong with it, as other forms have it."""
    above = str(form.non_field_errors()) if form.non_field_errors() else ""
    return SafeString(above + "".join(map(_field, form)))


def _field(bound: BoundField) -> str:
    widget = bound.field.widget
    if isinstance(widget, forms.Select):
        control = _select(bound, _attributes(bound))
    elif type(widget) is forms.TextInput:
        value = bound.value()
        written = "" if value in (None, "") else f' value="{escape(str(value))}"'
        control = f'<input type="text"{written}{_attributes(bound)}>'
    else:
        return bound.as_field_group()
    label = escape(str(bound.label))
    if not bound.field.required:
        label += ' <span class="optional">optional</span>'
    wrong, errors = (" wrong", str(bound.errors)) if bound.errors else ("", "")
    return (
        f'<div class="field{wrong}"><label for="{bound.id_for_label}">{label}</label>'
        f"{control}{errors}</div>"
    )


def _select(bound: BoundField, attributes: str) -> str:
    chosen = str(bound.value() or "")
    options = [
        f'<option value="{escape(str(value))}"{" selected" if str(value) == chosen else ""}>'
        f"{to_html(label)}</option>"
        for value, label in bound.field.choices  # type: ignore[attr-defined]
    ]
    return f"<select{attributes}>{''.join(options)}</select>"


def _attributes(bound: BoundField) -> str:
    widget = bound.field.widget
    told: Mapping[str, Any] = bound.build_widget_attrs(widget.attrs, widget)
    found = {"name": bound.html_name, "id": bound.auto_id, **told}
    return "".join(
        f" {name}" if value is True else f' {name}="{escape(str(value))}"'
        for name, value in found.items()
        if value is not None and value is not False
    )
