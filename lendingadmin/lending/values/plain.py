"""From tolerant fields to what code can reckon with, and from values back to the wire."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeVar

from lendingadmin.lending.values.base import Value

from .malformed import Malformed

Member = TypeVar("Member")

# Past this many digits a status is no code anybody set, and writing it out could fill the memory.
_LONGEST_STATUS = 30


def number(value: object) -> Decimal | None:
    """The value if it is a number, else None: for arithmetic that must not guess."""
    return value if isinstance(value, Decimal) else None


def text(value: object) -> str | None:
    """The value if it is text, else None."""
    return value if isinstance(value, str) else None


def moment(value: object) -> datetime | None:
    """The value if it is a point in time (aware, UTC), else None."""
    return value if isinstance(value, datetime) else None


def each(values: Iterable[Member | Malformed] | None) -> tuple[Member, ...]:
    """The items of a list that are what the spec says; nothing for a list that is odd or absent."""
    return tuple(item for item in values or () if not isinstance(item, Malformed))


def status_key(value: object) -> str:
    """A status as the key for looking up its word: `2` for 2, 2.0 and `2`; empty for none."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = Decimal(value)
    if not isinstance(value, Decimal):
        return str(value).strip()
    if not value.is_finite() or abs(value.adjusted()) > _LONGEST_STATUS:
        return str(value)
    written = f"{value:f}"
    whole = written.rstrip("0").rstrip(".") if "." in written else written
    return "0" if whole in ("-0", "") else whole


def timestamp_text(value: datetime) -> str:
    """A point in time as the service writes it: UTC, milliseconds, Z (Spec: Conventions).

    Raises ValueError for a time without a zone.
    """
    if value.tzinfo is None:
        raise ValueError("a time without a zone cannot be sent")
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wire(value: object) -> object:
    """What is sent for a value: JSON with Decimals.

    A Value or Malformed goes back as it came, a time in UTC with milliseconds, a date as
    `YYYY-MM-DD`. Raises TypeError for a float (money would lose digits) and for what JSON does not
    have.
    """
    if isinstance(value, Value | Malformed):
        return value.raw
    if isinstance(value, Mapping):
        return {_key(key): wire(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [wire(item) for item in value]
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str | bool | int | Decimal):
        return value
    raise TypeError(f"{type(value).__name__} cannot be sent to the service")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError("keys sent to the service are text")
    return key
