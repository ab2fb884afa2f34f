"""The types of fields. Each is the documented type, an Odd for anything else, or None.

`Annotated[type, reader]`: the reader makes the field of the JSON value that came, as base.py says;
a reader of objects gets their kind too. A second note is the key, where it is not the name's own.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, TypeAlias, TypeVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.odd import Odd

Nested = TypeVar("Nested", bound=Value)

_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _text(raw: object) -> str | Odd | None:
    return raw if raw is None or isinstance(raw, str) else Odd(raw)


def _number(raw: object) -> Decimal | Odd | None:
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Decimal(raw)
    if isinstance(raw, Decimal) and raw.is_finite():
        return raw
    return Odd(raw)


def _flag(raw: object) -> bool | Odd | None:
    return raw if raw is None or isinstance(raw, bool) else Odd(raw)


def _status(raw: object) -> Decimal | str | Odd | None:
    return raw if isinstance(raw, str) else _number(raw)


def _timestamp(raw: object) -> datetime | Odd | None:
    if isinstance(raw, str) and _TIMESTAMP.fullmatch(raw):
        try:
            return datetime.fromisoformat(raw).astimezone(UTC)
        except (ValueError, OverflowError):
            return Odd(raw)
    return None if raw is None else Odd(raw)


def _day(raw: object) -> date | Odd | None:
    if isinstance(raw, str) and _DAY.fullmatch(raw):
        try:
            return date.fromisoformat(raw)
        except ValueError:
            return Odd(raw)
    return None if raw is None else Odd(raw)


def _texts(raw: object) -> tuple[str | Odd, ...] | Odd | None:
    if isinstance(raw, list):
        return tuple(item if isinstance(item, str) else Odd(item) for item in raw)
    return None if raw is None else Odd(raw)


def _one(kind: type[Nested], raw: object) -> Nested | Odd | None:
    return None if raw is None else _item(kind, raw)


def _item(kind: type[Nested], raw: object) -> Nested | Odd:
    return kind(raw) if isinstance(raw, Mapping) else Odd(raw)


def _many(kind: type[Nested], raw: object) -> tuple[Nested | Odd, ...] | Odd | None:
    if isinstance(raw, list):
        return tuple(_item(kind, item) for item in raw)
    return None if raw is None else Odd(raw)


Text: TypeAlias = Annotated[str | Odd | None, _text]
Number: TypeAlias = Annotated[Decimal | Odd | None, _number]
Flag: TypeAlias = Annotated[bool | Odd | None, _flag]
Status: TypeAlias = Annotated[Decimal | str | Odd | None, _status]
Timestamp: TypeAlias = Annotated[datetime | Odd | None, _timestamp]
Day: TypeAlias = Annotated[date | Odd | None, _day]
Texts: TypeAlias = Annotated[tuple[str | Odd, ...] | Odd | None, _texts]
One: TypeAlias = Annotated[Nested | Odd | None, _one]
Many: TypeAlias = Annotated[tuple[Nested | Odd, ...] | Odd | None, _many]
