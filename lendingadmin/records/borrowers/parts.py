"""Cards for data of a borrower's record that are not in tables. All other data are Technical."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop

from lendingadmin.lending.values import Borrower, Individual
from lendingadmin.web.display.technical import list_places
from lendingadmin.web.display.templatetags.times import day
from lendingadmin.web.display.text import shown, spelled

from .changes import Row, rows_of
from .fields import list_fields

_OPEN = {
    field.name: field.label for field in list_fields("open", "settings") if not field.is_rare
} | {"company": gettext_noop("Company")}
_OF_PERSON = {field.name: field.label for field in list_fields("biometrics")}
_LABELS = {field.name: field.label for field in list_fields("individual", "company")}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WRITERS: Mapping[str, Callable[[object], str]] = {"day": day, "word": spelled}
_PERSON = {key: name for name, key in Individual.api_names.items()}

# Places of the record that templates/borrowers/_loans.html shows.
LOANS = frozenset(
    list_places("loans[]", "loanId principalAmount payableAmount paidAmount startDate endDate")
    | list_places("loans[]", "nextPaymentDate completionDate assessmentId")
)

# Places that these cards, templates/borrowers/_title.html and _devices.html show.
SHOWN = frozenset(
    list_places("", "borrowerId category startDate status borrowerNo")
    | _OPEN.keys()
    | {f"individual.{field.name}" for field in list_fields("individual", "biometrics")}
    | list_places("devices[]", "deviceId deviceType modelNumber osName osVersion serialNumber")
    | list_places("devices[]", "active createdAt")
)


class Part(NamedTuple):
    """One card: its heading, and its content as places and words."""

    title: str
    rows: list[Row]


def list_parts(borrower: Borrower) -> list[Part]:
    """Return the person's card, then one card for each object that the spec does not define."""
    person = borrower.individual if isinstance(borrower.individual, Individual) else None
    parts = [(title, _label(rows_of(value))) for title, value in _filled(borrower.raw, _OPEN)]
    if person and person.raw:
        parts += [
            (title, _label(rows_of(value))) for title, value in _filled(person.raw, _OF_PERSON)
        ]
        known = []
        for field in list_fields("individual"):
            write, value = _WRITERS.get(field.kind, shown), getattr(person, _PERSON[field.name])
            known.append(Row(gettext(field.label), write(value)))
        parts.insert(0, (gettext_noop("Person"), known))
    return [Part(gettext(title), rows) for title, rows in parts]


def _label(rows: list[Row]) -> list[Row]:
    """Return the rows with labels: the label of a field with this name, else the name in words."""
    return [
        row._replace(
            label=gettext(_LABELS[row.place]) if row.place in _LABELS else _spell(row.place)
        )
        for row in rows
    ]


def _spell(place: str) -> str:
    words = spelled(_HUMP.sub(" ", place).lower()) if place else ""
    return words[:1].upper() + words[1:]


def _filled(raw: Mapping[str, object], titles: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for key, title in titles.items():
        if raw.get(key) not in (None, "", [], {}):
            yield title, raw[key]
