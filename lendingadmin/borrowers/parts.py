"""What the spec leaves open in a borrower's record, as keys and values, whatever its shape."""

from collections.abc import Iterator
from typing import NamedTuple

from lendingadmin.lending.values import Borrower, Device, Individual, LoanSummary, Odd, Value

from .changes import Row, rows_of

_TITLES = {
    "company": "Company",
    "identity": "Identity",
    "demographic": "Demographic",
    "profiles": "Profiles",
    "settings": "Settings",
}


class Part(NamedTuple):
    """One card: its heading, and its content as places and words."""

    title: str
    rows: list[Row]


def open_parts(borrower: Borrower) -> list[Part]:
    """Everything that came and has no place of its own on the page, under its heading."""
    return [Part(title, rows_of(value)) for title, value in _found(borrower)]


def _found(borrower: Borrower) -> Iterator[tuple[str, object]]:
    raw = borrower.raw
    for key, title in _TITLES.items():
        if raw.get(key) not in (None, "", [], {}):
            yield title, raw[key]
    yield from _of_person(borrower.individual)
    yield from _odd("Devices", borrower.devices)
    yield from _more("More about the devices", borrower.devices, Device)
    yield from _odd("Loan summaries", borrower.loans)
    yield from _more("More about the loan summaries", borrower.loans, LoanSummary)
    if borrower.others:
        yield "Whatever else came", dict(borrower.others)


def _of_person(individual: Individual | Odd | None) -> Iterator[tuple[str, object]]:
    yield from _odd("Person", individual)
    if not isinstance(individual, Individual):
        return
    for title, key in (("Photos", "photos"), ("Fingerprints", "fingerprints")):
        if individual.raw.get(key) not in (None, "", [], {}):
            yield title, individual.raw[key]
    if individual.others:
        yield "More about the person", dict(individual.others)


def _odd(title: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Odd):
        yield title, value.raw


def _more(title: str, items: object, kind: type[Value]) -> Iterator[tuple[str, object]]:
    """The keys of list items that the spec does not name, by the number of the item."""
    if not isinstance(items, tuple):
        return
    found = {
        str(number): dict(item.others)
        for number, item in enumerate(items, start=1)
        if isinstance(item, kind) and item.others
    }
    if found:
        yield title, found
