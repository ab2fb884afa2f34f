"""The types of fields. Each is the documented type, an Odd for anything else, or None."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import PlainValidator, ValidatorFunctionWrapHandler, WrapValidator

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.odd import Odd

_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})"
)
# The commonest first: a page of loans asks this tens of thousands of times.
_OBJECTS = (dict, Value, Mapping)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _text(raw: object) -> str | Odd | None:
    return raw if raw is None or isinstance(raw, str | Odd) else Odd(raw)


def _number(raw: object) -> Decimal | Odd | None:
    if raw is None or isinstance(raw, Odd):
        return raw
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Decimal(raw)
    if isinstance(raw, Decimal) and raw.is_finite():
        return raw
    return Odd(raw)


def _flag(raw: object) -> bool | Odd | None:
    return raw if raw is None or isinstance(raw, bool | Odd) else Odd(raw)


def _status(raw: object) -> Decimal | str | Odd | None:
    return raw if isinstance(raw, str) else _number(raw)


def _timestamp(raw: object) -> datetime | Odd | None:
    if raw is None or isinstance(raw, Odd):
        return raw
    if isinstance(raw, str) and _TIMESTAMP.fullmatch(raw):
        try:
            return datetime.fromisoformat(raw).astimezone(UTC)
        except (ValueError, OverflowError):
            return Odd(raw)
    return Odd(raw)


def _day(raw: object) -> date | Odd | None:
    if raw is None or isinstance(raw, Odd):
        return raw
    if isinstance(raw, str) and _DAY.fullmatch(raw):
        try:
            return date.fromisoformat(raw)
        except ValueError:
            return Odd(raw)
    return Odd(raw)


def _texts(raw: object) -> tuple[str | Odd, ...] | Odd | None:
    if raw is None or isinstance(raw, Odd):
        return raw
    if isinstance(raw, list | tuple):
        return tuple(item if isinstance(item, str | Odd) else Odd(item) for item in raw)
    return Odd(raw)


def _one(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if raw is None or isinstance(raw, Odd):
        return raw
    return _item(raw, handler)


def _item(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return handler(raw) if isinstance(raw, _OBJECTS) else Odd(raw)


def _many(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if raw is None or isinstance(raw, Odd):
        return raw
    return handler(raw) if isinstance(raw, list | tuple) else Odd(raw)


Nested = TypeVar("Nested", bound=Value)

Text: TypeAlias = Annotated[str | Odd | None, PlainValidator(_text)]
Number: TypeAlias = Annotated[Decimal | Odd | None, PlainValidator(_number)]
Flag: TypeAlias = Annotated[bool | Odd | None, PlainValidator(_flag)]
Status: TypeAlias = Annotated[Decimal | str | Odd | None, PlainValidator(_status)]
Timestamp: TypeAlias = Annotated[datetime | Odd | None, PlainValidator(_timestamp)]
Day: TypeAlias = Annotated[date | Odd | None, PlainValidator(_day)]
Texts: TypeAlias = Annotated[tuple[str | Odd, ...] | Odd | None, PlainValidator(_texts)]
One: TypeAlias = Annotated[Nested | Odd | None, WrapValidator(_one)]
Item: TypeAlias = Annotated[Nested | Odd, WrapValidator(_item)]
Many: TypeAlias = Annotated[
    tuple[Annotated[Nested | Odd, WrapValidator(_item)], ...] | Odd | None, WrapValidator(_many)
]
