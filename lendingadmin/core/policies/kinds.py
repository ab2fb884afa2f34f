"""Kinds of rules. An area declares its kinds and names them in its `apps.py`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp

Values = Mapping[str, Any]
#: The words of values, as labels and texts in the order of the form.
Words = Sequence[tuple[str, str]]


class PolicyForm(forms.Form):
    """Form of a rule. The initial values and the result of `get_values` are JSON values."""

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        self.app = app
        super().__init__(data, initial=self.build_initial(values))

    def build_initial(self, values: Values) -> dict[str, Any]:
        """Return the initial values of the fields."""
        return dict(values)

    def get_values(self) -> dict[str, Any]:
        """Return the values of a valid form, to be stored as JSON."""
        return self.cleaned_data

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The fields in groups, each with a heading and a hint."""
        return [(_("Values"), "", list(self))]


@dataclass(frozen=True)
class PolicyKind:
    """A kind of rule: its key, title, purpose in one sentence, form and values before any change.

    `describe` returns values in words. `describe_now` returns the present effect in a sentence.
    """

    key: str
    title: str | Promise
    purpose: str | Promise
    form: type[PolicyForm]
    defaults: Values
    describe: Callable[[Values], Words]
    describe_now: Callable[[LendingApp], str] | None = None

    def describe_changes(self, before: Values, after: Values) -> list[tuple[str, str, str]]:
        """Return the label, the old words and the new words of each value that differs.

        A label that only one of both has gets empty words for the other.
        """
        old, new = dict(self.describe(before)), dict(self.describe(after))
        labels = list(dict.fromkeys([*old, *new]))
        pairs = [(label, old.get(label, ""), new.get(label, "")) for label in labels]
        return [one for one in pairs if one[1] != one[2]]


def list_kinds() -> Sequence[PolicyKind]:
    """Return the kinds of all areas."""
    return collect("policies")


def find_kind(key: str) -> PolicyKind | None:
    """Return the kind with this key, or None."""
    return next((one for one in list_kinds() if one.key == key), None)
