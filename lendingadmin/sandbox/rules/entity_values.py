"""Five kinds of values in an event (Spec: EntityValueSet).

Each kind is a table of its fields, with the rule that reads each field.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.rules.amounts import read_number
from lendingadmin.sandbox.rules.instants import LAST_YEAR, to_millis
from lendingadmin.sandbox.rules.invalid import Invalid

#: Our value of the spec's `<service_domain>`. Kinds with another domain are also accepted.
DOMAIN = "lending.example"
SMS, CONTACT = "sms", "contact"
BATTERY, LOCATION, APP = "device/battery", "device/location", "device/app"

# Earliest time. A time that was sent in seconds and is read as milliseconds is in January 1970.
_EARLIEST = to_millis(datetime(2000, 1, 1, tzinfo=UTC))
_LATEST = to_millis(datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)) - 1

Reader = Callable[[object, str], object]


class _Field(NamedTuple):
    read: Reader
    required: bool = True


def strip_domain(name: str) -> str:
    """Return the kind without its domain: `sms` for `lending.example/sms`."""
    return name.partition("/")[2]


def read_data(value: object, field: str) -> list[dict[str, Any]]:
    """Read an event's `data`: at least one set, each with values of its kind.

    Unknown fields are removed. Missing optional fields become null. May raise Invalid.
    """
    if not isinstance(value, list) or not value:
        raise Invalid(field, "must be an array of at least one set of values")
    return [_read_set(one, f"{field}[{place}]") for place, one in enumerate(value)]


def check_category(category: str | None, data: list[dict[str, Any]]) -> None:
    """Raise Invalid if an event has a category, and data of another kind (Spec: Events, 3)."""
    if category is not None and any(strip_domain(one["kind"]) != category for one in data):
        raise Invalid("category", f"is {category}, but the data holds values of another kind")


def _read_set(value: object, field: str) -> dict[str, Any]:
    entry = _read_object(value, field)
    kind = entry.get("kind")
    fields = _KINDS.get(strip_domain(kind)) if isinstance(kind, str) else None
    if not isinstance(kind, str) or not fields or kind.startswith("/"):
        kinds = ", ".join(f"{DOMAIN}/{one}" for one in _KINDS)
        raise Invalid(f"{field}.kind", f"must be one of {kinds}")
    values = entry.get("values")
    if not isinstance(values, list):
        raise Invalid(f"{field}.values", "must be an array")
    return {
        "kind": kind,
        "values": [
            _read_fields(one, fields, f"{field}.values[{place}]")
            for place, one in enumerate(values)
        ],
    }


def _read_fields(value: object, fields: Mapping[str, _Field], field: str) -> dict[str, Any]:
    entry = _read_object(value, field)
    found: dict[str, Any] = {}
    for name, (read, required) in fields.items():
        sent = entry.get(name)
        if sent is None and required:
            raise Invalid(f"{field}.{name}", "is needed")
        found[name] = None if sent is None else read(sent, f"{field}.{name}")
    return found


def _read_object(value: object, field: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    return value


def _read_text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise Invalid(field, "must be a string")
    return value


def _read_flag(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise Invalid(field, "must be true or false")
    return value


def _read_mark(value: object, field: str) -> object:
    """Return the field `read` of an sms. Raise Invalid if it is not a boolean or 1 (Spec)."""
    if isinstance(value, bool) or (isinstance(value, int | Decimal) and value == 1):
        return value
    raise Invalid(field, "must be true, false or the number 1")


def _read_one_of(*words: str) -> Reader:
    def read(value: object, field: str) -> str:
        if value not in words:
            raise Invalid(field, f"must be {' or '.join(words)}")
        return str(value)

    return read


def _read_millis(value: object, field: str) -> int:
    number = read_number(value, field)
    if number != number.to_integral_value() or not _EARLIEST <= number <= _LATEST:
        raise Invalid(field, "must be whole milliseconds since 1970, from the year 2000 on")
    return int(number)


def _read_level(value: object, field: str) -> Decimal:
    number = read_number(value, field)
    if not 0 <= number <= 100:
        raise Invalid(field, "must be from 0 to 100")
    return number


def _read_lat_lng(value: object, field: str) -> str:
    text = _read_text(value, field)
    parts = text.split(",")
    try:
        latitude, longitude = (Decimal(part.strip()) for part in parts)
        inside = abs(latitude) <= 90 and abs(longitude) <= 180
    except (ValueError, ArithmeticError):
        inside = False
    if not inside or not text.isascii():
        raise Invalid(field, "must be “<latitude>,<longitude>” in degrees")
    return text


def _read_address(value: object, field: str) -> dict[str, Any]:
    return _read_fields(value, _ADDRESS, field)


def _read_addresses(value: object, field: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise Invalid(field, "must be an array")
    return [_read_address(one, f"{field}[{place}]") for place, one in enumerate(value)]


_ADDRESS = {
    "addressName": _Field(_read_text),
    "addressType": _Field(_read_one_of("telephone", "email")),
}
_KINDS: Mapping[str, Mapping[str, _Field]] = {
    SMS: {
        "address": _Field(_read_text),
        "direction": _Field(_read_one_of("inbound", "outbound")),
        "smsId": _Field(_read_text, required=False),
        "read": _Field(_read_mark, required=False),
        "timestamp": _Field(_read_millis),
        "rawBody": _Field(_read_text),
    },
    CONTACT: {
        "name": _Field(_read_text),
        "primaryAddress": _Field(_read_address),
        "otherAddresses": _Field(_read_addresses, required=False),
    },
    BATTERY: {
        "timestamp": _Field(_read_millis),
        "isCharging": _Field(_read_flag, required=False),
        "chargingMethod": _Field(_read_text, required=False),
        "level": _Field(_read_level),
    },
    LOCATION: {"timestamp": _Field(_read_millis), "latLng": _Field(_read_lat_lng)},
    APP: {
        "timestamp": _Field(_read_millis),
        "name": _Field(_read_text, required=False),
        "package": _Field(_read_text),
        "label": _Field(_read_text, required=False),
    },
}
