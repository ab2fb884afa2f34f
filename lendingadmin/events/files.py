"""An event as a file of JSON: a whole event, or only its data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lendingadmin.lending import codec

from .kinds import named


class Unusable(ValueError):
    """The file can't be an event; its text is a sentence for the person who chose it."""


@dataclass(frozen=True)
class Uploaded:
    """What a file says; `head` holds what it gives beside the data."""

    data: list[object]
    head: Mapping[str, object] = field(default_factory=dict)


def read(content: bytes) -> Uploaded:
    """Read a file: an event, an object with `data`, or the list of sets alone. Raises Unusable."""
    try:
        found = codec.decode(content)
    except (ValueError, RecursionError):
        raise Unusable("This is not a file of JSON in UTF-8.") from None
    if isinstance(found, list):
        return Uploaded(found)
    if not isinstance(found, dict) or not isinstance(found.get("data"), list):
        raise Unusable("The file holds an event with a list “data”, or that list alone.")
    return Uploaded(found["data"], {key: found[key] for key in found if key != "data"})


def with_domain(data: list[object], domain: str) -> list[object]:
    """The sets with the domain before each kind that is written without one."""
    return [
        {**entry, "kind": named(domain, entry["kind"])}
        if isinstance(entry, Mapping) and isinstance(entry.get("kind"), str)
        else entry
        for entry in data
    ]
