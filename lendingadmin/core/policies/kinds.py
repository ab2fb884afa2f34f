"""Kinds of rules. Each area declares its kinds and names them in its `apps.py`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp

Values = Mapping[str, Any]
#: Values in words: pairs of label and text, in the order of the form.
Words = Sequence[tuple[str, str]]


class PolicyForm(forms.Form):
    """Form of a rule.

    Its initial values come from JSON, and `get_values` returns values that can be stored as JSON.
    """

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        self.app = app
        super().__init__(data, initial=self.build_initial(values))

    def build_initial(self, values: Values) -> dict[str, Any]:
        """Return the initial values of the fields."""
        return dict(values)

    def get_values(self) -> dict[str, Any]:
        """Return the values of a valid form, to be stored as JSON; an amount is text."""
        return {
            name: format(value, "f") if isinstance(value, Decimal) else value
            for name, value in self.cleaned_data.items()
        }

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The fields in groups, each with a heading and a hint."""
        return [(_("Values"), "", list(self))]


@dataclass(frozen=True, eq=False)
class PolicyKind:
    """A kind of rule: its key, title, purpose in one sentence, form and values before any change.

    `describe` returns values in words. `describe_now` returns a sentence about the present effect.
    If a rule `is_shared`, all apps have the same values. If a rule `is_guarded`, it is about money
    or people, and a second manager approves its changes. `lowers` returns True if the new values
    protect less than the old values.
    """

    key: str
    title: str | Promise
    purpose: str | Promise
    form: type[PolicyForm]
    defaults: Values
    describe: Callable[[Values], Words]
    describe_now: Callable[[LendingApp], str] | None = None
    is_shared: bool = False
    is_guarded: bool = False
    lowers: Callable[[Values, Values], bool] | None = None

    def get_owner(self, app_id: str) -> str:
        """Return the app id of the stored versions; empty for a shared rule."""
        return "" if self.is_shared else app_id

    def complete(self, values: Values | None) -> dict[str, Any]:
        """Return the stored values, and the defaults for values that are not stored."""
        return {**self.defaults, **(values or {})}

    def describe_changes(self, before: Values, after: Values) -> list[tuple[str, str, str]]:
        """Return the label, the old words and the new words of each value that differs.

        If only one of the two has a label, the words of the other are empty.
        """
        old, new = dict(self.describe(before)), dict(self.describe(after))
        labels = list(dict.fromkeys([*old, *new]))
        pairs = [(label, old.get(label, ""), new.get(label, "")) for label in labels]
        return [one for one in pairs if one[1] != one[2]]


def fill_form(kind: PolicyKind, app: LendingApp, values: Values) -> PolicyForm:
    """Return the form of a rule, filled with these values, to check them."""
    empty = kind.form(None, app=app, values=values)
    data: dict[str, Any] = {}
    for name, field in empty.fields.items():
        value = empty.get_initial_for_field(field, name)
        if isinstance(field.widget, forms.MultiWidget):
            widget: Any = field.widget
            parts = zip(widget.widgets_names, widget.decompress(value), strict=True)
            data |= {name + end: part for end, part in parts}
        elif value is not False:  # a browser does not send a switch that is off
            data[name] = value
    query = QueryDict(mutable=True)
    for name, value in data.items():
        words = value if isinstance(value, list) else ["" if value is None else value]
        query.setlist(name, [str(one) for one in words])
    return kind.form(query, app=app, values=values)


def describe_fields(form: type[PolicyForm], values: Values) -> Words:
    """Return each value with the label of its field."""
    return [(str(field.label), _write(values[name])) for name, field in form.base_fields.items()]


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return "" if value is None else str(value)


def list_kinds() -> Sequence[PolicyKind]:
    """Return the kinds of all areas."""
    return collect("policies")


def find_kind(key: str) -> PolicyKind | None:
    """Return the kind with this key, or None."""
    return next((one for one in list_kinds() if one.key == key), None)
