"""Function that compares a record of the service with the data that was sent.

The service adds fields, writes names in capital letters (Spec: Borrower) and writes times in
another form. So only the sent values are searched in the answer, and such changes do not count.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal

_DEEPEST = 20
_MOST = 12
# Spec: Individual fields.
_UPPER_CASED = frozenset({"surname", "othernames"})


def find_differences(sent: object, came: object) -> list[str]:
    """Return the places of missing or changed values, such as `devices · 2 · osName`.

    At most a dozen places are listed, and then `…` if there are more. The list is empty if the
    answer has all values that were sent.
    """
    found: list[str] = []
    for place in _find(sent, came, "", 0):
        if len(found) == _MOST:
            return [*found, "…"]
        found.append(place)
    return found


def _find(sent: object, came: object, place: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield place
    elif isinstance(sent, Mapping) and (isinstance(came, Mapping) or not sent):
        there = came if isinstance(came, Mapping) else {}
        for key, value in sent.items():
            yield from _find(value, there.get(key), _below(place, key), depth + 1)
    elif isinstance(sent, list | tuple) and isinstance(came, list | tuple):
        if len(sent) != len(came):
            yield place
            return
        for number, (one, other) in enumerate(zip(sent, came, strict=True), start=1):
            yield from _find(one, other, _below(place, str(number)), depth + 1)
    elif not _alike(sent, came, place.rpartition(" ")[2]):
        yield place


def _below(place: str, key: object) -> str:
    return f"{place} · {key}" if place else str(key)


def _alike(sent: object, came: object, key: str) -> bool:
    if sent in (None, "", [], {}, ()):
        return came in (None, "", [], {}, ())
    if isinstance(sent, bool) or isinstance(came, bool):
        return sent is came
    if isinstance(sent, int | Decimal) and isinstance(came, int | Decimal):
        return sent == came
    if isinstance(sent, str) and isinstance(came, str):
        if key in _UPPER_CASED:
            return sent.casefold() == came.casefold()
        return sent == came or _same_moment(sent, came)
    return sent == came


def _same_moment(one: str, other: str) -> bool:
    first = parse_moment(one)
    return first is not None and first == parse_moment(other)


def parse_moment(text: str) -> datetime | None:
    """Return a text as a time in UTC; None if the text is not a time with an offset."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None
