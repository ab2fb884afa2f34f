"""The filter of a list (Spec: Shared list behaviour)."""

from collections.abc import Mapping
from typing import NamedTuple

from lendingadmin.sandbox.rules.invalid import Invalid


class Clause(NamedTuple):
    """One `<FIELD>:<VALUE>`; the value of a number field is an int."""

    field: str
    value: str | int


def read_filter(text: str, fields: Mapping[str, type]) -> tuple[Clause, ...]:
    """Read clauses parted by spaces; only the first colon parts field from value.

    `fields` gives the allowed fields with `str` or `int`. Raises Invalid for anything else.
    """
    return tuple(_clause(part, fields) for part in text.split())


def _clause(part: str, fields: Mapping[str, type]) -> Clause:
    field, colon, value = part.partition(":")
    if not colon or not value:
        raise Invalid("filter", f"“{part}” is not of the form <FIELD>:<VALUE>")
    if field not in fields:
        raise Invalid("filter", f"“{field}” is none of: {', '.join(fields)}")
    if fields[field] is str:
        return Clause(field, value)
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise Invalid("filter", f"the value of “{field}” must be a whole number")
    return Clause(field, int(value))
