"""Cards of a borrower's record outside the tables. The page shows other data as Technical."""

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
    parts = [(title, rows_of(value)) for title, value in _filled(borrower.raw, _OPEN)]
    if person and person.raw:
        parts += [(title, rows_of(value)) for title, value in _filled(person.raw, _OF_PERSON)]
        known = []
        for field in list_fields("individual"):
            write, value = _WRITERS.get(field.kind, shown), getattr(person, _PERSON[field.name])
            known.append(Row(gettext(field.label), write(value)))
        parts.insert(0, (gettext_noop("Person"), known))
    return [Part(gettext(title), rows) for title, rows in parts]


def _filled(raw: Mapping[str, object], titles: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for key, title in titles.items():
        if raw.get(key) not in (None, "", [], {}):
            yield title, raw[key]
