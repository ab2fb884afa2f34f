"""Resources with a mark of its own at every leaf of the spec's table, and how each mark is shown.

A text is its own mark. A number, a date or a duration is one that comes up nowhere else, so a page
that has it, in whichever way it writes it, shows that leaf. Every object also holds a key that the
spec does not name. Of a boolean there are only two: `flips` turns each one of them round, and the
page must change.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any, NamedTuple

from tests.odd.spec import RESOURCES, objects_in
from tests.odd.variants import WHEN, Path, at

_DURATIONS = ("period", "gracePeriod", "compoundingPeriod", "repaymentInterval", "termPeriod")
_RATES = re.compile("rate|max.*|.*Rate|nominalRate|periodicRate|AP[RY]|AER|interestRateWaiver")
_WHOLE = re.compile(".*No|noOfDependants|daysLate|displayPriority|.*Score|level")
# What decides which record a page finds, or what it makes of it; shown as one of these.
_GIVEN: Mapping[str, tuple[object, ...]] = {
    "Borrower.borrowerId": ("B-1",),
    "Borrower.category": ("individual",),
    "Loan.accountId": ("L-1",),
    "Loan.borrowerId": ("B-1",),
    "Assessment.assessmentId": ("A-1",),
    "AssessmentType.assessmentTypeId": ("T-1",),
    "Product.productId": ("P-1",),
    "accountId": ("borrower:B-1", "B-1"),
    "Event.eventType": ("personal_data.captured",),
    "Event.timestamp": (WHEN, "2026-01-15T00:00:00+00:00"),
    "SmsSet.kind": ("lending.example/sms",),
    "ContactSet.kind": ("lending.example/contact",),
    "BatterySet.kind": ("lending.example/device/battery",),
    "LocationSet.kind": ("lending.example/device/location",),
    "AppSet.kind": ("lending.example/device/app",),
    "Metadata.appId": ("kenya",),
    "Metadata.requestId": ("r-1",),
    "OfferResult.error": (None,),
}
_START = datetime(2026, 1, 1, tzinfo=UTC)
_LATER = datetime(2999, 1, 1, tzinfo=UTC)


class Leaf(NamedTuple):
    """A leaf by its place, such as `Loan.contract.amounts.fees`, and how a page may write it."""

    place: str
    shown: tuple[str, ...]


class Marked:
    """One resource with its marks. `leaves` is what a page has to show, `flips` its booleans."""

    def __init__(
        self, resource: str, given: Mapping[str, tuple[object, ...]] | None = None
    ) -> None:
        self.leaves: list[Leaf] = []
        self.flags: list[Path] = []
        self._given = {**_GIVEN, **(given or {})}
        self._numbers = count(11)
        self.value: dict[str, Any] = self._object(resource, (resource,))
        for key, value in self._unknown_shapes((resource,)).items():
            self.value[key] = value

    def flips(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The resource with one boolean turned round, for each of them, under its place."""
        for path in self.flags:
            turned = copy.deepcopy(self.value)
            *way, last = path[1:]
            at(turned, tuple(way))[last] = False
            yield _place(path), turned

    def _object(self, resource: str, path: Path) -> dict[str, Any]:
        made = {
            key: self._of(resource, key, kind, (*path, key))
            for key, kind in RESOURCES[resource].items()
        }
        key = self._text("unknown", path)
        made[key] = self._text("of an unknown key", (*path, key))
        return made

    def _of(self, resource: str, key: str, kind: str, path: Path) -> Any:
        given = next((one for one in (f"{resource}.{key}", key) if one in self._given), None)
        if given is not None:
            first, *_ = shown = self._given[given]
            if first is not None:
                self._leaf(path, *map(str, shown))
            return first
        within = objects_in(kind)
        if within and kind.startswith("object"):
            return self._object(within[0], path)
        if within:
            kinds = within * 2 if len(within) == 1 else within
            return [self._object(one, (*path, number)) for number, one in enumerate(kinds)]
        return self._scalar(key, kind, path)

    def _scalar(self, key: str, kind: str, path: Path) -> Any:
        number = next(self._numbers)
        if kind in ("map", "open object"):
            name = self._text("key", path)
            return {name: self._text("value", (*path, name))}
        if kind.startswith("array"):
            return [self._text("item", (*path, place)) for place in range(2)]
        if kind == "boolean":
            self.flags.append(path)
            return True
        if kind == "number" and _RATES.fullmatch(key):
            return self._leaf_of(path, Decimal(f"0.1{number:04}7"))
        if kind in ("number", "status"):
            is_whole = _WHOLE.fullmatch(key) or kind == "status"
            return self._leaf_of(
                path, 30_000 + number if is_whole else Decimal(f"{50_000 + number}.37")
            )
        if kind in ("timestamp", "millis"):
            start = _LATER if key == "expiryTime" else _START
            when = start + timedelta(hours=number, seconds=number % 60, milliseconds=number % 997)
            wire = f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03}Z"
            millis = int(when.timestamp() * 1000)
            self._leaf(path, when.isoformat(), wire, str(millis), wire[:-1].replace("T", " "))
            return millis if kind == "millis" else wire
        if kind == "date":
            return self._leaf_of(path, (date(1901, 1, 1) + timedelta(days=number)).isoformat())
        if key in _DURATIONS:
            return self._leaf_of(path, f"{210 * number + 1} days")
        return self._text("text", path)

    def _unknown_shapes(self, path: Path) -> dict[str, Any]:
        deep, listed = self._text("unknown", path), self._text("unknown", path)
        inner = self._text("unknown", (*path, deep))
        return {
            deep: {inner: self._text("within an unknown object", (*path, deep, inner))},
            listed: [self._text("within an unknown list", (*path, listed)), {"a": [1, None]}],
        }

    def _leaf_of(self, path: Path, value: Any) -> Any:
        as_number = value if isinstance(value, int | Decimal) else None
        words = str(value)
        if words.endswith(" days"):
            self._leaf(path, words, f"{int(words.split()[0]):,} days")
        elif as_number is None:
            self._leaf(path, words)
        else:
            self._leaf(path, words, f"{as_number:,}")
        return value

    def _text(self, what: str, path: Path) -> str:
        mark = f"mk{next(self._numbers):04}z"
        self._leaf((*path, f"({what})") if what != "text" else path, mark)
        return mark

    def _leaf(self, path: Path, *shown: str) -> None:
        self.leaves.append(Leaf(_place(path), shown))


def _place(path: Path) -> str:
    return ".".join(map(str, path))
