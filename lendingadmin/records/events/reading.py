"""Prepare the data of an event for its page. Each kind has its layout and is masked at first.

This module leaves out masked values, so they never reach a template. The level of a battery is not
personal and is not masked. Data that the spec does not name may be personal, so they are left out
until a person reveals the content.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from lendingadmin.lending.values import EntityValueSet, Event, Malformed, Record, each, number
from lendingadmin.web.display import formats
from lendingadmin.web.display.charts import Plot, draw_line
from lendingadmin.web.display.technical import Leaf, list_technical
from lendingadmin.web.display.text import shown, write_any
from lendingadmin.web.display.times import moment
from lendingadmin.web.redact import REDACTED

from .kinds import APP, BATTERY, CONTACT, LOCATION, SMS, EventKind, find_kind
from .rules import RULES, moment_of

PART = 200  # values of each set on a page; the page has several parts if there are more
Say = Callable[[object], str]

# The places that templates/events/event.html shows. `data` is shown set by set.
_SHOWN = frozenset(("accountId", "eventType", "timestamp", "status", "category", "createdAt"))
_ADDRESS = frozenset(("addressName", "addressType"))


@dataclass(frozen=True)
class Shown:
    """One set of values: its kind, its rows on this part of the page, and their total number.

    `unread` has the malformed values. `others` has the names of fields that are not in the spec.
    """

    kind: EventKind | None
    name: str
    count: int
    template: str
    rows: Sequence[Any] = ()
    plot: Plot | None = None
    unread: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """All sets of an event, and its result by key.

    `part` is the number of the shown part, from 0. `parts` is the number of parts of the longest
    set. `odd` has the data if they are malformed.
    """

    sets: tuple[Shown, ...] = ()
    result: tuple[tuple[str, str], ...] = ()
    part: int = 0
    parts: int = 1
    odd: str = ""
    technical: Sequence[Leaf] = ()

    @property
    def earlier(self) -> int | None:
        """The number of the part before this one; None for the first part."""
        return self.part - 1 if self.part else None

    @property
    def later(self) -> int | None:
        """The number of the part after this one; None for the last part."""
        return self.part + 1 if self.part + 1 < self.parts else None


@dataclass
class Thread:
    """The messages with one address, oldest first."""

    address: str
    messages: list[dict[str, object]] = field(default_factory=list)


def read_event(event: Event, *, revealed: bool, part: int, zone: tzinfo) -> Reading:
    """Return an event's data for its page. Without `revealed`, personal content is masked."""
    say = write_any if revealed else _mask
    technical = _list_event_leaves(event, revealed)
    # The spec does not show the content of a result, so the result is masked like the data.
    result: tuple[tuple[str, str], ...] = ()
    if isinstance(event.result, Malformed):
        result = ((_("As received"), say(event.result)),)
    elif event.result:
        result = tuple((key, say(value)) for key, value in event.result.entries)
    if isinstance(event.data, Malformed):
        return Reading(result=result, odd=say(event.data), technical=technical)
    entries = list(event.data or ())
    longest = max((_count(entry) for entry in entries), default=0)
    parts = max(1, -(-longest // PART))
    at = min(part, parts - 1)
    sets = tuple(_read_set(entry, say, at, zone) for entry in entries)
    return Reading(sets, result, part=at, parts=parts, technical=technical)


def _read_set(entry: EntityValueSet | Malformed, say: Say, part: int, zone: tzinfo) -> Shown:
    if isinstance(entry, Malformed):
        return Shown(None, "", 0, "", unread=(say(entry),))
    kind, values = find_kind(entry.kind), each(entry.values)
    unread = [say(one) for one in entry.values or () if isinstance(one, Malformed)]
    if isinstance(entry.values, Malformed):
        unread = [say(entry.values)]
    list_rows, template = _LAYOUTS[kind.key] if kind else (_list_pairs, "pairs")
    known = RULES[kind.key].keys() if kind else None
    names = {key for one in values for key, _ in one.entries if known and key not in known}
    return Shown(
        kind=kind,
        name=shown(entry.kind),
        count=_count(entry),
        template=f"events/_{template}.html",
        rows=list_rows(values, say, slice(part * PART, (part + 1) * PART)),
        plot=_draw_levels(values, zone) if kind and kind.key == BATTERY else None,
        unread=tuple(unread[:PART]),
        others=tuple(sorted(names)),
    )


def _count(entry: EntityValueSet | Malformed) -> int:
    return 0 if isinstance(entry, Malformed) else sum(1 for _ in entry.values or ())


def _list_threads(values: Sequence[Record], say: Say, piece: slice) -> list[Thread]:
    """Return conversations, the newest first. A conversation has all messages of one address."""
    by_address: dict[str, list[Record]] = {}
    for value in _sort_by_time(values):
        by_address.setdefault(shown(value.get("address")), []).append(value)
    ordered = sorted(by_address.values(), key=lambda them: _time_key(them[-1]), reverse=True)
    threads: list[Thread] = []
    flat = [(place, value) for place, them in enumerate(ordered) for value in them]
    last = None
    for place, value in flat[piece]:
        if place != last:
            threads.append(Thread(say(value.get("address"))))
            last = place
        threads[-1].messages.append(_read_message(value, say))
    return threads


def _read_message(value: Record, say: Say) -> dict[str, object]:
    read, sms_id = value.get("read"), value.get("smsId")
    return {
        "direction": shown(value.get("direction")),
        "when": _read_time(value),
        "body": say(value.get("rawBody")),
        "read": "" if read is None else _("read") if read in (True, 1) else _("not read"),
        "sms_id": say(sms_id) if sms_id is not None and say is write_any else "",
        "more": _list_value_leaves(SMS, value, say),
    }


def _list_contacts(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
    contacts = list[dict[str, object]]()
    for value in values[piece]:
        raw = value.get("otherAddresses")
        others = () if raw is None else raw if isinstance(raw, list | tuple) else [raw]
        contacts.append(
            {
                "name": say(value.get("name")),
                "primary": _read_address(value.get("primaryAddress"), say),
                "others": [_read_address(one, say) for one in others],
                "more": _list_value_leaves(CONTACT, value, say),
            }
        )
    return contacts


def _read_address(raw: object, say: Say) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        return {"name": say(raw), "type": ""}
    kind = raw.get("addressType")
    return {"name": say(raw.get("addressName")), "type": "" if kind is None else shown(kind)}


def _list_dated(kind: str, *names: str) -> "Layout":
    """Return a layout with rows of a time and these fields, the oldest first."""

    def list_rows(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
        write = shown if kind == BATTERY else say
        return [
            {"when": _read_time(value), "more": _list_value_leaves(kind, value, say)}
            | {name: write(value.get(name)) for name in names}
            for value in _sort_by_time(values)[piece]
        ]

    return list_rows


def _draw_levels(values: Sequence[Record], zone: tzinfo) -> Plot | None:
    """Return the plot of all levels with a time that are plausible numbers.

    The scale is 0 to 100, and wider if a level is outside. Return None for fewer than two times.
    """
    points = []
    for value in values:
        when, raw = moment_of(value.get("timestamp")), value.get("level")
        level = Decimal(raw) if type(raw) is int else number(raw)
        if when and level is not None and abs(level) < 1_000_000:
            points.append((when, level))
    low = min((level for _, level in points), default=Decimal(0))
    high = max((level for _, level in points), default=Decimal(100))
    inside = low >= 0 and high <= 100
    marks = (Decimal(0), Decimal(50), Decimal(100))
    return draw_line(
        points,
        write=lambda level: f"{level:f} %",
        write_time=lambda at: moment(at, formats.zone() or zone, formats.locale()),
        marks=marks if inside else (min(low, Decimal(0)), max(high, Decimal(100))),
        dotted=True,
        height=150,
    )


def _list_pairs(values: Sequence[Record], say: Say, piece: slice) -> list[list[tuple[str, str]]]:
    return [[(key, say(value)) for key, value in one.entries] for one in values[piece]]


def _read_time(value: Record) -> object:
    """Return the time in a value; None if it is missing.

    A malformed value is returned unchanged.
    """
    raw = value.get("timestamp")
    return moment_of(raw) or (None if raw is None else Malformed(raw))


def _sort_by_time(values: Sequence[Record]) -> list[Record]:
    return sorted(values, key=_time_key)


def _time_key(value: Record) -> tuple[bool, float]:
    when = moment_of(value.get("timestamp"))
    return (when is None, when.timestamp() if when else 0)


def _mask(value: object) -> str:
    return shown(value) if value is None else REDACTED


def _list_event_leaves(event: Event, revealed: bool) -> list[Leaf]:
    """Return the leaves of the event and of its sets, without the values in the sets."""
    own = Event(_drop_keys(event.raw, {"data", "result"}))
    leaves = list_technical(own, _SHOWN)
    for index, entry in enumerate(event.data or ()):
        if isinstance(entry, EntityValueSet):
            rest = Record(_drop_keys(entry.raw, {"kind", "values"}))
            leaves += list_technical(rest, (), within=f"data[{index}]")
    return leaves if revealed else [leaf for leaf in leaves if leaf.documented]


def _list_value_leaves(kind: str, value: Record, say: Say) -> list[Leaf]:
    """Return the leaves of a value that its row does not show; none while the event is masked."""
    if say is not write_any:
        return []
    rest: dict[str, object] = {}
    for key, raw in value.entries:
        if kind == CONTACT and key == "primaryAddress" and isinstance(raw, Mapping):
            rest[key] = _drop_keys(raw, _ADDRESS)
        elif kind == CONTACT and key == "otherAddresses" and isinstance(raw, list):
            for index, one in enumerate(raw):
                if isinstance(one, Mapping):
                    rest[f"{key}[{index}]"] = _drop_keys(one, _ADDRESS)
        elif key not in RULES[kind]:
            rest[key] = raw
    return list_technical(
        Record({key: raw for key, raw in rest.items() if raw not in (None, {})}), ()
    )


def _drop_keys(raw: Mapping[str, object], keys: frozenset[str] | set[str]) -> dict[str, object]:
    return {key: value for key, value in raw.items() if key not in keys}


Layout = Callable[[Sequence[Record], Say, slice], Sequence[Any]]
_LAYOUTS: Mapping[str, tuple[Layout, str]] = {
    SMS: (_list_threads, "messages"),
    CONTACT: (_list_contacts, "contacts"),
    BATTERY: (_list_dated(BATTERY, "level", "isCharging", "chargingMethod"), "battery"),
    LOCATION: (_list_dated(LOCATION, "latLng"), "places"),
    APP: (_list_dated(APP, "label", "name", "package"), "apps"),
}
