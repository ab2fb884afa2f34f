"""The setting of the words for status numbers."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import (
    PolicyForm,
    PolicyKind,
    Values,
    Words,
)
from lendingadmin.core.policies.services import read_recent, read_values
from lendingadmin.web.fields import LineField, PairField, list_rows, refuse_twice

LOAN, PERFORMANCE, BORROWER, PRODUCT = "loan", "performance", "borrower", "product"
_TABLES = {
    LOAN: _("Status of a loan"),
    PERFORMANCE: _("Performance of an open loan"),
    BORROWER: _("Status of a borrower"),
    PRODUCT: _("Status of a product"),
}
_MOST_ROWS = 50


class _WordField(PairField):
    """A status number with its word: `["2", "open"]`, or None for an empty row."""

    def __init__(self, **options: Any) -> None:
        number = LineField(max_length=20, label=_("Number"))
        super().__init__(
            {"number": number, "word": LineField(max_length=40, label=_("Word"))}, **options
        )

    def compress(self, data_list: list[str]) -> list[str] | None:
        """Return the number and the word. A number without a word is an empty row.

        Raise ValidationError for a word without a number, or with a text that is not a number.
        """
        number, word = data_list or ("", "")
        if not word:
            return None
        if not re.fullmatch(r"-?[0-9]{1,9}", number):
            raise forms.ValidationError(gettext("Enter a number, such as 2."), code="number")
        return [number, word]


class StatusWordsForm(PolicyForm):
    """Form for the words for status numbers, with a row for each number that was seen."""

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        super().__init__(data, app=app, values=values)
        for table, label in _TABLES.items():
            stored = len(self.initial[table])
            rows = list_rows(data, table, "number", stored=stored, most=_MOST_ROWS)
            for number, name in enumerate(rows, 1):
                self.fields[name] = _WordField(label=f"{label} {number}")

    def build_initial(self, values: Values) -> dict[str, Any]:
        """Return a row for each number that has a word, and for each number that was seen."""
        seen = list_seen()
        found: dict[str, Any] = {}
        for table in _TABLES:
            words: dict[str, str] = {**dict.fromkeys(seen.get(table, ()), ""), **values[table]}
            rows = sorted(words.items(), key=lambda row: (len(row[0]), row[0]))
            found |= {table: rows} | {f"{table}{place}": row for place, row in enumerate(rows)}
        return found

    def clean(self) -> dict[str, Any]:
        """Check that no number has two words."""
        cleaned = super().clean() or self.cleaned_data
        for table in _TABLES:
            words = gettext("This number already has a word.")
            refuse_twice(self, self._list_names(table), words)
        return cleaned

    def get_values(self) -> dict[str, Any]:
        """Return the words of each table by number."""
        rows = {table: map(self.cleaned_data.get, self._list_names(table)) for table in _TABLES}
        return {table: dict(row for row in found if row) for table, found in rows.items()}

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The rows of each table, with a heading and a hint."""
        hints = {
            LOAN: gettext(
                "These words also decide whether a loan is open: open, pending, closed, "
                "settled, written off, deleted."
            )
        }
        return [
            (str(label), hints.get(table, ""), [self[name] for name in self._list_names(table)])
            for table, label in _TABLES.items()
        ]

    def _list_names(self, table: str) -> list[str]:
        return [name for name in self.fields if re.fullmatch(rf"{table}[0-9]+", name)]


def list_seen() -> dict[str, list[str]]:
    """Return the status numbers in our own tables, by table."""
    found: dict[str, set[str]] = {}
    for read in collect("statuses"):
        for table, numbers in read().items():
            found.setdefault(table, set()).update(one for one in numbers if one)
    return {table: sorted(numbers) for table, numbers in found.items()}


def list_wordless() -> list[tuple[str, str]]:
    """Return the known status numbers without a word, each with its table in words."""
    values = read_values(STATUS_WORDS)
    return [
        (str(_TABLES[table]), number)
        for table, numbers in list_seen().items()
        for number in numbers
        if number not in values[table] and re.fullmatch(r"-?[0-9]+", number)
    ]


def _describe(values: Values) -> Words:
    return [
        (str(label), ", ".join(f"{number}: {word}" for number, word in values[table].items()))
        for table, label in _TABLES.items()
    ]


def _describe_now(app: LendingApp) -> str:
    missing = "; ".join(f"{table} {number}" for table, number in list_wordless())
    return gettext("Numbers without a word: %(numbers)s.") % {"numbers": missing} if missing else ""


STATUS_WORDS = PolicyKind(
    "status-words",
    _("Words for status numbers"),
    _("The service sends a number for each status. Pages show the word for the number."),
    StatusWordsForm,
    {table: {} for table in _TABLES},
    _describe,
    _describe_now,
    is_shared=True,
)


def read_words(table: str) -> dict[str, str]:
    """Return the words of a table (LOAN, PERFORMANCE, BORROWER or PRODUCT) by number."""
    words: dict[str, str] = read_recent(STATUS_WORDS)[table]
    return words
