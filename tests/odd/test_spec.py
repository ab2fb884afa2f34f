"""The table of the spec's resources against the client's fields: neither misses one."""

from inspect import get_annotations
from typing import Any, get_args

import pytest

from lendingadmin.lending import values
from lendingadmin.lending.fields import Day, Flag, Number, Status, Text, Texts, Timestamp
from lendingadmin.lending.values import Record, Value
from lendingadmin.records.events.rules import RULES
from tests.odd.spec import EVENTS, RESOURCES, objects_in

# A table's resource, and what the client calls it.
ROOTS = {
    "Borrower": values.Borrower,
    "Loan": values.Loan,
    "LendingContract": values.LendingContract,
    "Assessment": values.Assessment,
    "AssessmentType": values.AssessmentType,
    "Product": values.Product,
    "Event": values.Event,
    "Operation": values.OfferOperation,
}
# How the client reads each type of the table.
READS: dict[str, tuple[Any, ...]] = {
    "string": (Text,),
    "number": (Number,),
    "boolean": (Flag,),
    "status": (Status,),
    "timestamp": (Timestamp,),
    "date": (Day,),
    "array of string": (Texts,),
    # What is in the lists of photos and fingerprints is not shown; text is the client's guess.
    "array": (Texts,),
    # An error is told in words wherever the spec shows one.
    "any": (Text,),
}
SETS = ("SmsSet", "ContactSet", "BatterySet", "LocationSet", "AppSet")


def fields_of(kind: type[Value]) -> dict[str, Any]:
    """The type of each of the client's fields, by its key on the wire."""
    hints = get_annotations(kind)
    return {key: hints[name] for name, key in kind.api_names.items()}


def differences(resource: str, kind: type[Value]) -> list[str]:
    """Where the table and the client's value of a resource are not the same, and those within."""
    table, read = RESOURCES[resource], fields_of(kind)
    found = [f"{resource}.{key}" for key in sorted(table.keys() ^ read.keys())]
    for key in table.keys() & read.keys():
        found += _differences(f"{resource}.{key}", table[key], read[key])
    return found


def _differences(place: str, written: str, hint: Any) -> list[str]:
    within = objects_in(written)
    nested = nested_in(hint)
    # Open objects and maps are Records, as are the values of an event: their kind decides what is
    # in them, and the events area reads that (below).
    if nested is Record:
        is_open = written in ("map", "open object") or place.partition(".")[0] in SETS
        return [] if is_open else [place]
    if not within:
        return [] if any(_reader(hint) is _reader(one) for one in READS[written]) else [place]
    if nested is None:
        return [place]
    return [line for one in within for line in differences(one, nested)]


def _reader(hint: Any) -> object:
    return get_args(hint)[1]


def nested_in(hint: Any) -> type[Value] | None:
    """The value that a field's type is made of."""
    if isinstance(hint, type) and issubclass(hint, Value):
        return hint
    return next(filter(None, map(nested_in, get_args(hint))), None)


@pytest.mark.parametrize("resource", ROOTS)
def test_the_table_and_the_client_have_the_same_fields_of_the_same_types(resource: str) -> None:
    assert differences(resource, ROOTS[resource]) == []


def test_the_table_and_the_events_area_know_the_same_values() -> None:
    sets = dict(zip(("sms", "contact", "battery", "location", "app"), SETS, strict=True))
    table = {
        kind: set(EVENTS[objects_in(EVENTS[name]["values"])[0]]) for kind, name in sets.items()
    }
    assert table == {kind.rpartition("/")[2]: set(rules) for kind, rules in RULES.items()}


def test_every_resource_of_the_table_is_part_of_one_that_the_service_sends() -> None:
    seen: set[str] = set()
    rest = [*ROOTS]
    while rest:
        name = rest.pop()
        seen.add(name)
        rest += [one for kind in RESOURCES[name].values() for one in objects_in(kind)]
    assert seen == set(RESOURCES)
