"""Good answers made from the table of the spec, and the same with something else at one place."""

import copy
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import cycle, islice
from typing import Any, NamedTuple

from tests.odd.spec import RESOURCES, objects_in

Path = tuple[str | int, ...]

SCRIPT = '"><script>x</script>'
ABSENT = object()
EXTRA = {"unknownField": {"deeper": [1, None]}, SCRIPT: SCRIPT, "labels_": None}

# What stands in a place instead, by name.
VARIANTS: Mapping[str, object] = {
    "null": None,
    "absent": ABSENT,
    "true": True,
    "zero": 0,
    "negative": -1,
    "fraction": Decimal("1.5"),
    "huge": Decimal("1e300"),
    "huge negative": Decimal("-1.7e300"),
    "tiny": Decimal("1e-300"),
    "whole of forty digits": 10**40,
    "text": "text",
    "empty text": "",
    "empty list": [],
    "list": [None, 1, "x", [], {}, True],
    "empty object": {},
    "unknown keys": EXTRA,
    "markup": SCRIPT,
    # Long words are drawn in a way of their own.
    "long markup": SCRIPT * 3,
    "right to left": "\u202eمحمد علي",
    "control characters": "\x00\n\x1b[2J",
    "long text": "x" * 300,
    "unknown status": 97,
    "status in a word": "halfway",
    "first moment": "0001-01-01T00:00:00.000Z",
    "last moment": "9999-12-31T23:59:59.999Z",
    "last day": "9999-12-31",
}

_OF_A_TYPE: Mapping[str, object] = {
    "string": "some text",
    "timestamp": "2026-01-15T00:00:00.000Z",
    "date": "1990-01-15",
    "number": 12,
    "boolean": True,
    "status": 2,
    "millis": 1_768_435_200_000,
    "any": None,
    "map": {"timezone": "Africa/Nairobi"},
    "open object": {"key": "value"},
    "array": ["some text"],
    "array of string": ["some text"],
}
WHEN = "2026-01-15T00:00:00.000Z"
# Fields whose value decides what a page shows: ids, kinds, durations, rates, how an offer stands.
_OF_A_FIELD: Mapping[str, object] = {
    "uid": "u-1",
    "borrowerId": "B-1",
    "category": "individual",
    "Loan.accountId": "L-1",
    "Assessment.assessmentId": "A-1",
    "Assessment.assessmentType": "assessmentTypes/T-1",
    "AssessmentType.assessmentTypeId": "T-1",
    "AssessmentType.name": "assessmentTypes/T-1",
    "AssessmentOutcome.type": "declined",
    "AssessmentOutcome.creditScore": 600,
    "accountId": "borrower:B-1",
    "productId": "P-1",
    "period": "90 days",
    "gracePeriod": "3 days",
    "compoundingPeriod": "30 days",
    "repaymentInterval": "30 days",
    "termPeriod": "365 days",
    "Penalty.rate": Decimal("0.1"),
    "riskPremiumRate": Decimal("0.06"),
    "baseRate": Decimal("0.24"),
    "APR": Decimal("0.306"),
    "Event.eventType": "personal_data.captured",
    "Event.category": "sms",
    "SmsSet.kind": "lending.example/sms",
    "ContactSet.kind": "lending.example/contact",
    "BatterySet.kind": "lending.example/device/battery",
    "LocationSet.kind": "lending.example/device/location",
    "AppSet.kind": "lending.example/device/app",
    "Sms.direction": "inbound",
    "Location.latLng": "-1.2921,36.8219",
    "Operation.name": "operations/o-1",
    "Metadata.status": "completed",
    "Metadata.appId": "kenya",
    "Metadata.requestId": "r-1",
    "Metadata.expiryTime": "2999-01-01T00:00:00.000Z",
    "creditLimit": 5000,
}


class Place(NamedTuple):
    """A field of a resource, wherever it lies in it; the whole resource has an empty path."""

    resource: str
    path: Path
    kind: str

    @property
    def name(self) -> str:
        """As `Loan.contract.installments.0.dueDate`."""
        return ".".join(map(str, (self.resource, *self.path)))

    @property
    def type(self) -> str:
        """The type of the field; every object is of one type, and every list of objects."""
        return " ".join(word for word in self.kind.split() if word not in RESOURCES)


def good(resource: str) -> dict[str, Any]:
    """A resource with every field that the spec names; lists of objects hold two of each kind."""
    made: dict[str, Any] = pickle.loads(_pickled(resource))
    return made


@lru_cache
def _pickled(resource: str) -> bytes:
    """Made once: each variant is a copy of it."""
    fields = RESOURCES[resource].items()
    return pickle.dumps({key: _good(resource, key, kind) for key, kind in fields})


def _good(resource: str, key: str, kind: str) -> Any:
    within = objects_in(kind)
    if not within:
        ours = (f"{resource}.{key}", key)
        named = next((name for name in ours if name in _OF_A_FIELD), None)
        return _OF_A_TYPE[kind] if named is None else _OF_A_FIELD[named]
    if kind.startswith("object"):
        return good(within[0])
    return [good(one) for one in within * (2 if len(within) == 1 else 1)]


def places(resource: str) -> list[Place]:
    """The whole resource and every field in it, down to the last; of a list, those of one item."""
    return [Place(resource, (), f"object {resource}"), *_places(resource, resource, ())]


def _places(root: str, resource: str, path: Path) -> Iterator[Place]:
    for key, kind in RESOURCES[resource].items():
        here: Path = (*path, key)
        yield Place(root, here, kind)
        for number, within in enumerate(objects_in(kind)):
            yield from _places(root, within, (*here, number) if "array" in kind else here)


def at(value: Any, path: Path) -> Any:
    """What lies at a path."""
    for key in path:
        value = value[key]
    return value


def odd(place: Place, variant: str) -> Any:
    """The good resource with this variant at the place."""
    instead = other(place, variant)
    if not place.path:
        return instead
    changed = good(place.resource)
    *way, last = place.path
    within = at(changed, tuple(way))
    if instead is ABSENT:
        del within[last]
    else:
        within[last] = instead
    return changed


def other(place: Place, variant: str) -> Any:
    """The variant itself; an object's own one is the good object with keys that nobody knows."""
    if variant == "extra fields":
        return at(good(place.resource), place.path) | EXTRA
    return copy.deepcopy(VARIANTS[variant]) if variant != "absent" else ABSENT


def variants(place: Place) -> list[str]:
    """The names of all that can stand in a place instead. A whole answer cannot be absent."""
    return [name for name in _of_type(place.type) if place.path or name != "absent"]


def _of_type(kind: str) -> list[str]:
    return [*VARIANTS, *(["extra fields"] if kind == "object" else [])]


def all_at_once(place: Place) -> Any:
    """The good resource whose innermost list around the place holds an item of each variant.

    None where no list of objects is around it.
    """
    depth = max((n for n, key in enumerate(place.path) if isinstance(key, int)), default=None)
    if depth is None or depth == len(place.path) - 1:
        return None
    changed = good(place.resource)
    *way, last = place.path[:depth]
    items = [at(odd(place, name), place.path[: depth + 1]) for name in variants(place)]
    at(changed, tuple(way))[last] = items
    return changed


def shares(resources: Iterable[str], at_least: int) -> dict[Place, list[str]]:
    """Which variants each place of these resources is tried with alone, in rotation.

    Each variant comes up at least once among all the fields of a type, and each field has at least
    so many. A whole resource has them all.
    """
    found = {place: variants(place) for name in resources for place in places(name)}
    fields = [place for place in found if place.path]
    count = Counter(place.type for place in fields)
    wheels = {kind: cycle(_of_type(kind)) for kind in count}
    for place in fields:
        share = max(at_least, -(-len(_of_type(place.type)) // count[place.type]))
        found[place] = list(islice(wheels[place.type], share))
    return found
