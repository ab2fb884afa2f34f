"""What a borrower's page shows of the record beside its tables, and what it leaves to Technical."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop

from lendingadmin.lending.values import Borrower, Individual
from lendingadmin.web.display.technical import list_places

from .changes import Row, rows_of

_TITLES = {
    "company": gettext_noop("Company"),
    "identity": gettext_noop("Identity"),
    "demographic": gettext_noop("Demographic"),
    "profiles": gettext_noop("Profiles"),
    "settings": gettext_noop("Settings"),
}
_OF_PERSON = {"photos": gettext_noop("Photos"), "fingerprints": gettext_noop("Fingerprints")}

# templates/borrowers/_loans.html.
LOANS = frozenset(
    list_places("loans[]", "loanId principalAmount payableAmount paidAmount startDate endDate")
    | list_places("loans[]", "nextPaymentDate completionDate assessmentId")
)

# These cards, templates/borrowers/_title.html, _individual.html, _devices.html.
SHOWN = frozenset(
    list_places("", "borrowerId category startDate status borrowerNo")
    | _TITLES.keys()
    | list_places("individual", " ".join(_OF_PERSON))
    | list_places("individual", "surname othernames dateOfBirth sex governmentIdNo phoneNumber")
    | list_places("individual", "countryOfResidence emailAddress employmentStatus maritalStatus")
    | list_places("individual", "educationLevel noOfDependants")
    | list_places("devices[]", "deviceId deviceType modelNumber osName osVersion serialNumber")
    | list_places("devices[]", "active createdAt")
)


class Part(NamedTuple):
    """One card: its heading, and its content as places and words."""

    title: str
    rows: list[Row]


def open_parts(borrower: Borrower) -> list[Part]:
    """What the spec leaves open, whatever its shape, under its heading."""
    return [Part(gettext(title), rows_of(value)) for title, value in _found(borrower)]


def _found(borrower: Borrower) -> Iterator[tuple[str, object]]:
    yield from _filled(borrower.raw, _TITLES)
    if isinstance(borrower.individual, Individual):
        yield from _filled(borrower.individual.raw, _OF_PERSON)


def _filled(raw: Mapping[str, object], titles: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for key, title in titles.items():
        if raw.get(key) not in (None, "", [], {}):
            yield title, raw[key]
