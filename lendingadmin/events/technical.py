"""What an event holds beside what its page shows in words, in the event itself and in its values.

What the spec does not name may be as personal as the data: it is left out until somebody asked to
see personal content.
"""

from collections.abc import Mapping

from lendingadmin.display.technical import Leaf, list_technical
from lendingadmin.lending.values import EntityValueSet, Event, Record

from .kinds import APP, BATTERY, CONTACT, LOCATION, SMS

# templates/events/event.html; `data` is shown set by set.
_SHOWN = frozenset(("accountId", "eventType", "timestamp", "status", "category", "createdAt"))
_ADDRESS = frozenset(("addressName", "addressType"))
# The templates of the kinds; of an address the two fields above.
_OF_VALUE: Mapping[str, frozenset[str]] = {
    SMS: frozenset(("address", "direction", "timestamp", "read", "rawBody", "smsId")),
    CONTACT: frozenset(("name", "primaryAddress", "otherAddresses")),
    BATTERY: frozenset(("timestamp", "isCharging", "chargingMethod", "level")),
    LOCATION: frozenset(("timestamp", "latLng")),
    APP: frozenset(("timestamp", "name", "package", "label")),
}


def list_of_event(event: Event, *, revealed: bool) -> list[Leaf]:
    """The event's own leaves and those of its sets, without the values in them."""
    own = Event(_drop_keys(event.raw, {"data", "result"}))
    leaves = list_technical(own, _SHOWN)
    for index, entry in enumerate(event.data or ()):
        if isinstance(entry, EntityValueSet):
            rest = Record(_drop_keys(entry.raw, {"kind", "values"}))
            leaves += list_technical(rest, (), within=f"data[{index}]")
    return leaves if revealed else [leaf for leaf in leaves if leaf.documented]


def list_of_value(kind: str, value: Record) -> list[Leaf]:
    """The leaves of one value that its row does not show."""
    rest: dict[str, object] = {}
    for key, raw in value.entries:
        if kind == CONTACT and key == "primaryAddress" and isinstance(raw, Mapping):
            rest[key] = _drop_keys(raw, _ADDRESS)
        elif kind == CONTACT and key == "otherAddresses" and isinstance(raw, list):
            for index, one in enumerate(raw):
                if isinstance(one, Mapping):
                    rest[f"{key}[{index}]"] = _drop_keys(one, _ADDRESS)
        elif key not in _OF_VALUE[kind]:
            rest[key] = raw
    return list_technical(
        Record({key: raw for key, raw in rest.items() if raw not in (None, {})}), ()
    )


def _drop_keys(raw: Mapping[str, object], keys: frozenset[str] | set[str]) -> dict[str, object]:
    return {key: value for key, value in raw.items() if key not in keys}
