"""The types of fields. Each is the documented type, a Malformed for anything else, or None.

`Annotated[type, reader]`: the reader makes the field of the JSON value that came, as base.py says;
a reader of objects gets their kind too. A second note is the key, where it is not the name's own.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, TypeAlias, TypeVar

from lendingadmin.lending.values.base import Value

from .malformed import Malformed

Nested = TypeVar("Nested", bound=Value)

_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _text(raw: object) -> str | Malformed | None:
    return raw if raw is None or isinstance(raw, str) else Malformed(raw)


def _number(raw: object) -> Decimal | Malformed | None:
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Decimal(raw)
    if isinstance(raw, Decimal) and raw.is_finite():
        return raw
    return Malformed(raw)


def _flag(raw: object) -> bool | Malformed | None:
    return raw if raw is None or isinstance(raw, bool) else Malformed(raw)


def _status(raw: object) -> Decimal | str | Malformed | None:
    return raw if isinstance(raw, str) else _number(raw)


def _timestamp(raw: object) -> datetime | Malformed | None:
    if isinstance(raw, str) and _TIMESTAMP.fullmatch(raw):
        try:
            return datetime.fromisoformat(raw).astimezone(UTC)
        except (ValueError, OverflowError):
            return Malformed(raw)
    return None if raw is None else Malformed(raw)


def _day(raw: object) -> date | Malformed | None:
    if isinstance(raw, str) and _DAY.fullmatch(raw):
        try:
            return date.fromisoformat(raw)
        except ValueError:
            return Malformed(raw)
    return None if raw is None else Malformed(raw)


def _texts(raw: object) -> tuple[str | Malformed, ...] | Malformed | None:
    if isinstance(raw, list):
        return tuple(item if isinstance(item, str) else Malformed(item) for item in raw)
    return None if raw is None else Malformed(raw)


def _one(kind: type[Nested], raw: object) -> Nested | Malformed | None:
    return None if raw is None else _item(kind, raw)


def _item(kind: type[Nested], raw: object) -> Nested | Malformed:
    return kind(raw) if isinstance(raw, Mapping) else Malformed(raw)


def _many(kind: type[Nested], raw: object) -> tuple[Nested | Malformed, ...] | Malformed | None:
    if isinstance(raw, list):
        return tuple(_item(kind, item) for item in raw)
    return None if raw is None else Malformed(raw)


Text: TypeAlias = Annotated[str | Malformed | None, _text]
Number: TypeAlias = Annotated[Decimal | Malformed | None, _number]
Flag: TypeAlias = Annotated[bool | Malformed | None, _flag]
Status: TypeAlias = Annotated[Decimal | str | Malformed | None, _status]
Timestamp: TypeAlias = Annotated[datetime | Malformed | None, _timestamp]
Day: TypeAlias = Annotated[date | Malformed | None, _day]
Texts: TypeAlias = Annotated[tuple[str | Malformed, ...] | Malformed | None, _texts]
One: TypeAlias = Annotated[Nested | Malformed | None, _one]
Many: TypeAlias = Annotated[tuple[Nested | Malformed, ...] | Malformed | None, _many]
