"""Rules for each field of a value, by kind (Spec: EntityValueSet).

A rule returns the end of the sentence “… must be …”, or an empty text if the value is right.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from .kinds import APP, BATTERY, CONTACT, LOCATION, SMS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS = 100_000_000_000  # a smaller number is before 1974, so it may be in seconds

Rule = Callable[[object], str]


def moment_of(value: object) -> datetime | None:
    """Return the time for a number of milliseconds since 1970 (Spec: Conventions).

    Return None for a value that is not a number or is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    try:
        return _EPOCH + timedelta(milliseconds=int(value))
    except (OverflowError, ValueError):
        return None


def _expect(words: str, is_right: Callable[[Any], bool]) -> Rule:
    return lambda value: "" if is_right(value) else _(words)


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _is_address(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(name, ""), str) for name in ("addressName", "addressType")
    )


def _check_time(value: object) -> str:
    when = moment_of(value)
    if when is None or value != (when - _EPOCH) // timedelta(milliseconds=1):
        return _("whole milliseconds since 1970")
    if isinstance(value, int | Decimal) and abs(value) < _MILLISECONDS:
        return _("milliseconds since 1970 (these look like seconds)")
    return ""


_text = _expect(gettext_noop("text"), lambda value: isinstance(value, str))
_flag = _expect(gettext_noop("true or false"), lambda value: isinstance(value, bool))
_number = _expect(gettext_noop("a number"), _is_number)
_read = _expect(
    gettext_noop("true, false or the number 1"),
    lambda value: isinstance(value, bool) or (_is_number(value) and value == 1),
)
_address = _expect(gettext_noop("an object with addressName and addressType as text"), _is_address)
_addresses = _expect(
    gettext_noop("a list of objects with addressName and addressType as text"),
    lambda value: isinstance(value, list) and all(map(_is_address, value)),
)

# Fields that may be missing without a warning. The spec requires no field.
LEFT_OUT = frozenset(
    {"smsId", "read", "otherAddresses", "isCharging", "chargingMethod", "name", "label"}
)
RULES: Mapping[str, Mapping[str, Rule]] = {
    SMS: {
        "address": _text,
        "direction": _text,
        "smsId": _text,
        "read": _read,
        "timestamp": _check_time,
        "rawBody": _text,
    },
    CONTACT: {"name": _text, "primaryAddress": _address, "otherAddresses": _addresses},
    BATTERY: {
        "timestamp": _check_time,
        "isCharging": _flag,
        "chargingMethod": _text,
        "level": _number,
    },
    LOCATION: {"timestamp": _check_time, "latLng": _text},
    APP: {"timestamp": _check_time, "name": _text, "package": _text, "label": _text},
}
