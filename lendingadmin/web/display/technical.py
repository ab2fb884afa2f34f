"""Find all leaves of a record that its page does not show elsewhere, by place in the JSON.

A page declares the places that it shows in words. All other leaves are folded under Technical:
fields that no clerk needs, keys that the spec does not name, and values of a wrong type.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from lendingadmin.lending.values import Malformed, Value

_INDEX = re.compile(r"\[\d+\]")
_LONG = 160  # characters; a longer value folds
_MOST_KEYS = 40
_DEEPEST = 6


class Leaf(NamedTuple):
    """A value from the service: its text and its place, such as `contract.installments[0]`.

    `documented` is True if the spec has this place and the value has the right type.
    """

    place: str
    text: str
    documented: bool = False

    @property
    def is_long(self) -> bool:
        """True if the text is long.

        A long leaf is folded separately, so that the other leaves are visible.
        """
        return len(self.text) > _LONG

    @property
    def start(self) -> str:
        """The beginning of a long value, for its folded form."""
        return f"{self.text[: _LONG // 2]}…"


class Group(NamedTuple):
    """The leaves of one field in all items of a list (`installments[].dueDate`), or one leaf."""

    place: str
    leaves: list[tuple[str, Leaf]]


def group_by_field(leaves: Iterable[Leaf]) -> list[Group]:
    """Group the leaves by field; all items of a list count as one place.

    Each leaf has its `[number]` in the list. A single leaf is a group with its own place.
    """
    groups: dict[str, Group] = {}
    for leaf in leaves:
        place = _INDEX.sub("[]", leaf.place)
        number = "".join(_INDEX.findall(leaf.place))
        groups.setdefault(place, Group(place, [])).leaves.append((number, leaf))
    return [
        group if len(group.leaves) > 1 else group._replace(place=group.leaves[0][1].place)
        for group in groups.values()
    ]


def list_places(within: str, keys: str) -> set[str]:
    """Return the places of several fields of one object.

    `within` is the place of the object, such as `terms.fees[]`. `keys` has the names of the fields,
    separated by spaces: `kind value`.
    """
    return {f"{within}.{key}" if within else key for key in keys.split()}


def list_technical(value: Value, shown: Container[str], within: str = "") -> list[Leaf]:
    """Return the leaves of a value that its page does not show, in the order received.

    `shown` has the places on the page, such as `contract.installments[].dueDate`; places below them
    count as shown too. `within` is the place of the value itself. Fields that are null are left
    out. A value of a wrong type is always listed, because the page treats it as missing.
    """
    return list(_walk(value, within, within, shown))


def _walk(value: Value, place: str, pattern: str, shown: Container[str]) -> Iterator[Leaf]:
    names = {key: name for name, key in value.api_names.items()}
    for key, raw in value.entries:
        here, kind = (f"{place}.{key}", f"{pattern}.{key}") if place else (key, key)
        if key in names:
            yield from _walk_field(getattr(value, names[key]), raw, here, kind, shown)
        else:
            yield from _walk_unknown(raw, here, _DEEPEST)


def _walk_field(
    found: object, raw: object, place: str, pattern: str, shown: Container[str]
) -> Iterator[Leaf]:
    if isinstance(found, Malformed):
        yield from _walk_unknown(raw, place, _DEEPEST)
    elif found is None or pattern in shown:
        return
    elif isinstance(found, Value):
        yield from _walk(found, place, pattern, shown)
    elif isinstance(found, tuple) and isinstance(raw, list):
        for index, (item, one) in enumerate(zip(found, raw, strict=True)):
            yield from _walk_field(item, one, f"{place}[{index}]", f"{pattern}[]", shown)
    else:
        yield Leaf(place, _write(raw), documented=True)


def _walk_unknown(raw: object, place: str, depth: int) -> Iterator[Leaf]:
    """Yield the leaves of an object of unknown form.

    A list is one leaf, and so is an object that is empty, too large or nested too deeply.
    """
    if isinstance(raw, Mapping) and 0 < len(raw) <= _MOST_KEYS and depth:
        for key, item in raw.items():
            yield from _walk_unknown(item, f"{place}.{key}", depth - 1)
    else:
        yield Leaf(place, _write(raw))


def _write(raw: object) -> str:
    return str(Malformed(raw)) or '""'
