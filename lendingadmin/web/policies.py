"""Rules of all pages that managers change on Settings: quotas, and words for status numbers."""

import re
from functools import partial
from itertools import count
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
    describe_fields,
)
from lendingadmin.core.policies.services import read_recent, read_values
from lendingadmin.web.fields import LineField

LOAN, PERFORMANCE, BORROWER, PRODUCT = "loan", "performance", "borrower", "product"
_TABLES = {
    LOAN: _("Status of a loan"),
    PERFORMANCE: _("Performance of an open loan"),
    BORROWER: _("Status of a borrower"),
    PRODUCT: _("Status of a product"),
}
_MORE_ROWS, _MOST_ROWS = 2, 50


class QuotasForm(PolicyForm):
    """Form of the limits for exports and opened borrowers of one person."""

    exports = forms.IntegerField(
        label=_("Exports by one person in a day (UTC)"), min_value=1, max_value=100_000_000
    )
    opened = forms.IntegerField(
        label=_("Borrowers opened by one person in an hour: mail to managers above"),
        min_value=0,
        max_value=300,
        help_text=_("0 means no mail. A person can open 300 at most."),
    )


QUOTAS = PolicyKind(
    "quotas",
    _("Exports and opened borrowers"),
    _("These limits make it harder to copy the data of borrowers."),
    QuotasForm,
    {"exports": 50, "opened": 100},
    partial(describe_fields, QuotasForm),
    lowers=lambda before, after: (
        after["exports"] > before["exports"]
        or 0 < before["opened"] < after["opened"]
        or bool(before["opened"] and not after["opened"])
    ),
)


def read_most_exports(app_id: str) -> int:
    """Return the number of exports that one person may make in a day."""
    return int(read_values(QUOTAS, app_id)["exports"])


def read_most_opened(app_id: str) -> int:
    """Return the number of opened borrowers in an hour that raises an alarm; 0 means no alarm."""
    return int(read_recent(QUOTAS, app_id)["opened"])


class _WordWidget(forms.MultiWidget):
    """A number and its word."""

    use_fieldset = True

    def __init__(self) -> None:
        labels = {"number": _("Number"), "word": _("Word")}
        super().__init__(
            {name: forms.TextInput(attrs={"aria-label": label}) for name, label in labels.items()}
        )

    def decompress(self, value: Any) -> list[Any]:
        """Return the stored number and word; an empty value has none."""
        return list(value or (None, None))


class _WordField(forms.MultiValueField):
    """A status number with its word: `["2", "open"]`, or None for an empty row."""

    def __init__(self, **options: Any) -> None:
        parts = (LineField(required=False, max_length=20), LineField(required=False, max_length=40))
        super().__init__(
            parts, require_all_fields=False, required=False, widget=_WordWidget(), **options
        )
        self.is_wanted = True

    def compress(self, data_list: list[str]) -> list[str] | None:
        """Return the number and the word. A number without a word is an empty row.

        Raises ValidationError for a word without a number, and for a number that is none.
        """
        number, word = data_list or ("", "")
        if not word:
            return None
        if not re.fullmatch(r"-?[0-9]{1,9}", number):
            raise forms.ValidationError(gettext("Enter a number, such as 2."), code="number")
        return [number, word]


class StatusWordsForm(PolicyForm):
    """Form of the words for status numbers, with a row for each number that was seen."""

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        super().__init__(data, app=app, values=values)
        for table, label in _TABLES.items():
            rows = len(self.initial[table]) + _MORE_ROWS
            if data is not None:
                rows = next(number for number in count() if f"{table}{number}_number" not in data)
            for number in range(min(rows, _MOST_ROWS)):
                self.fields[f"{table}{number}"] = _WordField(label=f"{label} {number + 1}")

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
            numbers: set[str] = set()
            for name in self._list_names(table):
                row = cleaned.get(name)
                if row and row[0] in numbers:
                    words = gettext("This number has a word already.")
                    self.add_error(name, forms.ValidationError(words, code="twice"))
                numbers |= {row[0]} if row else set()
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
                "These words also decide whether a loan counts as open: open, pending, closed, "
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
    _("The service sends numbers for a status. Pages show these words."),
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
