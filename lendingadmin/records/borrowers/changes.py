"""Differences between two versions of a record, for the service and for people."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import simplejson
from django.utils.translation import gettext as _

from lendingadmin.web.display.templatetags.money import count as written
from lendingadmin.web.display.text import shown

_MOST_ROWS = 400
_LONGEST_SHOWN = 300
_DEEPEST = 20

# A PATCH replaces the complete value of each of these keys (Spec: Borrowers, 3).
REPLACED = ("devices", "loans", "settings")


class Row(NamedTuple):
    """One place of a record, such as `devices · 2 · osName`, its value in words, and its label."""

    place: str
    value: str
    label: str = ""


class Difference(NamedTuple):
    """One place with different values in two versions."""

    place: str
    before: str
    after: str


def same(one: object, other: object) -> bool:
    """Return True if two JSON values are equal in every digit.

    The order of keys does not matter.
    """
    return _canonical(one) == _canonical(other)


def _canonical(value: object) -> str:
    return str(simplejson.dumps(value, use_decimal=True, sort_keys=True))


def patch_between(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, object]:
    """Return the top-level keys of `after` that are new or different, for a PATCH."""
    return {
        key: value
        for key, value in after.items()
        if key not in before or not same(before[key], value)
    }


def rows_of(value: object) -> list[Row]:
    """Return any JSON value as rows of place and words. Long texts are cut.

    If there are too many rows, the last row shows this.
    """
    leaves = list(islice(_leaves(value), _MOST_ROWS + 1))
    rows = [Row(place, _words(leaf)) for place, leaf in leaves[:_MOST_ROWS]]
    more = [Row("…", _("more values are not shown"))] if len(leaves) > _MOST_ROWS else []
    return rows + more


def differences(before: object, after: object) -> list[Difference]:
    """Return the differences, in the order of `before` and then of `after`.

    If there are too many, the last item has only the number of the others.
    """
    left, right = dict(_leaves(before)), dict(_leaves(after))
    places = [
        place
        for place in {**left, **right}
        if place not in left or place not in right or not same(left[place], right[place])
    ]
    found = [
        Difference(place, _of(left, place), _of(right, place)) for place in places[:_MOST_ROWS]
    ]
    if len(places) > _MOST_ROWS:
        found.append(
            Difference(_("… and %(count)s more") % {"count": len(places) - _MOST_ROWS}, "", "")
        )
    return found


def _of(leaves: Mapping[str, object], place: str) -> str:
    return _words(leaves[place]) if place in leaves else _("no value")


def _leaves(value: object, place: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yield the places and leaves of a value.

    An empty list or object is a leaf, and so is a value that is nested too deeply.
    """
    items: list[tuple[str, object]] = []
    if isinstance(value, Mapping):
        items = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        items = [(str(number), item) for number, item in enumerate(value, start=1)]
    if not items or depth == _DEEPEST:
        yield place, value
        return
    for key, item in items:
        yield from _leaves(item, f"{place} · {key}" if place else key, depth + 1)


def _words(value: object) -> str:
    if isinstance(value, Mapping | list | tuple):
        try:
            dumped = simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
            text = str(dumped) if value else _("none")
        except RecursionError:
            text = _("too many levels to show")
    else:
        text = "null" if value is None else shown(value)
    if len(text) > _LONGEST_SHOWN:
        given = {"start": text[:_LONGEST_SHOWN], "count": written(len(text))}
        return _("%(start)s… (%(count)s characters)") % given
    return text
