"""Rule of retention, which managers change on Settings: how long data is stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, Values, Words
from lendingadmin.core.policies.services import read_recent

TEXTS, ROWS = "texts", "rows"
#: Fewest days. People, and the rules about calls, need the rows for this time.
LEAST_ROW_DAYS = 90
# Kinds of rows with their own number of days, because the rows are large and soon useless.
_OWN_DAYS = {"rows_tasks": 14, "rows_files": 90}
_MOST_DAYS = 36_500
_GENERAL = {
    TEXTS: _("Days until personal texts are erased"),
    ROWS: _("Days until finished rows are deleted"),
}


@dataclass(frozen=True)
class _Period:
    """A number of days: the key of the number, and the kinds of data in words.

    Without words, the number is for all kinds of data that have no separate number.
    """

    key: str
    what: str

    @property
    def part(self) -> str:
        """TEXTS or ROWS."""
        return self.key.partition("_")[0]

    @property
    def label(self) -> str:
        """The label outside a form: what happens, and to which data."""
        return ": ".join(filter(None, (str(_GENERAL[self.part]), self.what)))


def _list_periods() -> Iterator[_Period]:
    kinds: dict[str, tuple[Any, ...]] = {TEXTS: collect("erasable"), ROWS: collect("tables")}
    for part, found in kinds.items():
        yield _Period(part, "")
        names: dict[str, list[str]] = {}
        for one in found:
            if one.kind and (part == ROWS or one.erase_older):
                names.setdefault(one.kind, []).append(gettext(one.what))
        for kind, whats in names.items():
            yield _Period(f"{part}_{kind}", ", ".join(dict.fromkeys(whats)))


class RetentionForm(PolicyForm):
    """Form of the age in days at which data is erased or deleted; 0 means never."""

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        super().__init__(data, app=app, values=values)
        for one in _list_periods():
            field = forms.IntegerField(
                label=one.what.capitalize() or gettext("In general"),
                min_value=0,
                max_value=_MOST_DAYS,
                required=not one.what or one.key in _OWN_DAYS,
            )
            is_row = one.part == ROWS and one.key not in _OWN_DAYS
            field.validators += [_check_row_days] if is_row else []
            self.fields[one.key] = field

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The numbers for texts and for rows, each with a heading and a hint."""
        hint = gettext("0 means never. If a field is empty, the number under “In general” applies.")
        return [
            (str(label), hint, [self[name] for name in self.fields if name.startswith(part)])
            for part, label in _GENERAL.items()
        ]

    def get_values(self) -> dict[str, Any]:
        """Return the days from a valid form; kinds that use the general number are left out."""
        return {key: days for key, days in self.cleaned_data.items() if days is not None}


def _check_row_days(days: int) -> None:
    if 0 < days < LEAST_ROW_DAYS:
        words = gettext("Enter 0 for never, or at least %(days)s days.") % {"days": LEAST_ROW_DAYS}
        raise forms.ValidationError(words, code="least")


def _describe(values: Values) -> Words:
    found = ((one.label, values.get(one.key)) for one in _list_periods())
    return [
        (
            label,
            ngettext("%(count)s day", "%(count)s days", days) % {"count": days}
            if days
            else gettext("never"),
        )
        for label, days in found
        if days is not None
    ]


def _describe_now(_app: LendingApp) -> str:
    rows = sum(one.count_old() for one in collect("tables") if one.count_days())
    words = ngettext(
        "The worker deletes %(count)s old row within an hour.",
        "The worker deletes %(count)s old rows within an hour.",
        rows,
    )
    return words % {"count": rows}


RETENTION = PolicyKind(
    "retention",
    _("Retention"),
    _(
        "Personal texts are notes, reasons, messages and offers. Amounts, ids and days are not "
        "erased. Only data of finished records is erased or deleted."
    ),
    RetentionForm,
    {TEXTS: 1825, ROWS: 0, **_OWN_DAYS},
    _describe,
    _describe_now,
    is_shared=True,
    is_guarded=True,
)


def read_days(part: str, kind: str) -> int:
    """Return the age in days at which texts or rows of a kind are deleted; 0 means never."""
    values = read_recent(RETENTION)
    own = values.get(f"{part}_{kind}")
    return int(values[part] if own is None else own)
