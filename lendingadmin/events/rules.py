"""What each field of a value must be, kind by kind (Spec: EntityValueSet).

A rule gives the words that complete “must be …”, or nothing where the value is right.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from .kinds import APP, BATTERY, CONTACT, LOCATION, SMS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS = 100_000_000_000  # less would lie before 1974: then these are seconds

Rule = Callable[[object], str]


def moment_of(value: object) -> datetime | None:
    """A time inside an event's data: a number of milliseconds since 1970 (Spec: Conventions)."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    try:
        return _EPOCH + timedelta(milliseconds=int(value))
    except (OverflowError, ValueError):
        return None


def millis(when: datetime) -> int:
    """A point in time as milliseconds since 1970."""
    return (when - _EPOCH) // timedelta(milliseconds=1)


def _text(value: object) -> str:
    return "" if isinstance(value, str) else "text"


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _number(value: object) -> str:
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return "" if number else "a number"


def _read(value: object) -> str:
    marked = isinstance(value, bool) or (not _number(value) and value == 1)
    return "" if marked else "true, false or the number 1"


def _time(value: object) -> str:
    when = moment_of(value)
    if when is None or value != millis(when):
        return "whole milliseconds since 1970"
    if isinstance(value, int | Decimal) and abs(value) < _MILLISECONDS:
        return "milliseconds since 1970 (these look like seconds)"
    return ""


def _address(value: object) -> str:
    right = isinstance(value, Mapping) and not any(
        _text(value.get(name)) for name in ("addressName", "addressType") if name in value
    )
    return "" if right else "an object with addressName and addressType as text"


def _addresses(value: object) -> str:
    right = isinstance(value, list) and not any(_address(one) for one in value)
    return "" if right else "a list of objects with addressName and addressType as text"


# The spec says of no field that it is required. Without these a value still says what it is for.
LEFT_OUT = frozenset(
    {"smsId", "read", "otherAddresses", "isCharging", "chargingMethod", "name", "label"}
)
RULES: Mapping[str, Mapping[str, Rule]] = {
    SMS: {
        "address": _text,
        "direction": _text,
        "smsId": _text,
        "read": _read,
        "timestamp": _time,
        "rawBody": _text,
    },
    CONTACT: {"name": _text, "primaryAddress": _address, "otherAddresses": _addresses},
    BATTERY: {"timestamp": _time, "isCharging": _flag, "chargingMethod": _text, "level": _number},
    LOCATION: {"timestamp": _time, "latLng": _text},
    APP: {"timestamp": _time, "name": _text, "package": _text, "label": _text},
}
