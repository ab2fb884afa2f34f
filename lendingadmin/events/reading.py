"""An event's data as its page shows it: each kind for what it is, masked until it was asked for.

What is masked is left out here, so that it never reaches a template. A battery's level tells
nothing of a person and is not masked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from decimal import Decimal
from typing import Any

from lendingadmin.display import formats
from lendingadmin.display.charts import Plot, draw_line
from lendingadmin.display.technical import Leaf
from lendingadmin.display.text import shown
from lendingadmin.display.times import moment
from lendingadmin.lending.values import EntityValueSet, Event, Malformed, Record, each, number
from lendingadmin.ui.redact import REDACTED

from .kinds import APP, BATTERY, CONTACT, LOCATION, SMS, EventKind, kind_of
from .rules import RULES, moment_of
from .technical import list_of_event, list_of_value

PART = 200  # values of each set that a page shows; further ones are on further parts


@dataclass(frozen=True)
class Shown:
    """One set of values: its kind, its rows as far as this part shows them, and how many."""

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
    """All sets of an event, and its result by key; `parts` is how many pages the longest fills."""

    sets: tuple[Shown, ...] = ()
    result: tuple[tuple[str, str], ...] = ()
    part: int = 0
    parts: int = 1
    odd: str = ""
    technical: Sequence[Leaf] = ()

    @property
    def earlier(self) -> int | None:
        """The number of the part before this one."""
        return self.part - 1 if self.part else None

    @property
    def later(self) -> int | None:
        """The number of the part after this one."""
        return self.part + 1 if self.part + 1 < self.parts else None


@dataclass(frozen=True)
class Message:
    """A text message. `way` is `inbound`, `outbound` or what came in their place.

    `sms_id` and what `more` it holds are empty while it is masked.
    """

    way: str
    when: object
    body: str
    read: str
    sms_id: str = ""
    more: Sequence[Leaf] = ()


@dataclass
class Thread:
    """The messages with one address, oldest first."""

    address: str
    messages: list[Message] = field(default_factory=list)


Say = Callable[[object], str]


def read(event: Event, *, revealed: bool, part: int, zone: tzinfo) -> Reading:
    """Read an event's data for its page; with `revealed` its personal content too."""
    say = _plainly if revealed else _masked
    result, technical = _result(event.result, say), list_of_event(event, revealed=revealed)
    if isinstance(event.data, Malformed):
        return Reading(result=result, odd=say(event.data), technical=technical)
    entries = list(event.data or ())
    longest = max((_length(entry) for entry in entries), default=0)
    parts = max(1, -(-longest // PART))
    at = min(part, parts - 1)
    sets = tuple(_set(entry, say, at, zone) for entry in entries)
    return Reading(sets, result, part=at, parts=parts, technical=technical)


def _result(result: Record | Malformed | None, say: Say) -> tuple[tuple[str, str], ...]:
    """The spec does not show what a result holds, so it is as personal as the data it is of."""
    if isinstance(result, Malformed):
        return (("As it came", say(result)),)
    return tuple((key, say(value)) for key, value in result.entries) if result else ()


def _set(entry: EntityValueSet | Malformed, say: Say, part: int, zone: tzinfo) -> Shown:
    if isinstance(entry, Malformed):
        return Shown(None, "", 0, "", unread=(say(entry),))
    kind, values = kind_of(entry.kind), each(entry.values)
    unread = [say(one) for one in entry.values or () if isinstance(one, Malformed)]
    if isinstance(entry.values, Malformed):
        unread = [say(entry.values)]
    lay_out, template = _LAYOUTS[kind.key] if kind else (_pairs, "pairs")
    known = RULES[kind.key].keys() if kind else None
    names = {key for one in values for key, _ in one.entries if known and key not in known}
    return Shown(
        kind=kind,
        name=shown(entry.kind),
        count=_length(entry),
        template=f"events/_{template}.html",
        rows=lay_out(values, say, slice(part * PART, (part + 1) * PART)),
        plot=_draw_levels(values, zone) if kind and kind.key == BATTERY else None,
        unread=tuple(unread[:PART]),
        others=tuple(sorted(names)),
    )


def _length(entry: EntityValueSet | Malformed) -> int:
    return 0 if isinstance(entry, Malformed) else sum(1 for _ in entry.values or ())


def _threads(values: Sequence[Record], say: Say, piece: slice) -> list[Thread]:
    """Conversations: the messages of each address together, the one last written in first."""
    together: dict[str, list[Record]] = {}
    for value in _by_time(values):
        together.setdefault(shown(value.get("address")), []).append(value)
    ordered = sorted(together.values(), key=lambda them: _time_key(them[-1]), reverse=True)
    threads: list[Thread] = []
    flat = [(place, value) for place, them in enumerate(ordered) for value in them]
    last = None
    for place, value in flat[piece]:
        if place != last:
            threads.append(Thread(say(value.get("address"))))
            last = place
        threads[-1].messages.append(_message(value, say))
    return threads


def _message(value: Record, say: Say) -> Message:
    read, sms_id = value.get("read"), value.get("smsId")
    return Message(
        way=shown(value.get("direction")),
        when=_when(value),
        body=say(value.get("rawBody")),
        read="" if read is None else "read" if read in (True, 1) else "not read",
        sms_id=say(sms_id) if sms_id is not None and say is _plainly else "",
        more=_list_more(SMS, value, say),
    )


def _contacts(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
    return [
        {
            "name": say(value.get("name")),
            "primary": _address(value.get("primaryAddress"), say),
            "others": [_address(one, say) for one in _listed(value.get("otherAddresses"))],
            "more": _list_more(CONTACT, value, say),
        }
        for value in values[piece]
    ]


def _address(raw: object, say: Say) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        return {"name": say(raw), "type": ""}
    kind = raw.get("addressType")
    return {"name": say(raw.get("addressName")), "type": "" if kind is None else shown(kind)}


def _listed(raw: object) -> list[object]:
    if raw is None:
        return []
    return list(raw) if isinstance(raw, list | tuple) else [raw]


def _battery(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
    return [
        {
            "when": _when(value),
            "level": shown(value.get("level")),
            "charging": shown(value.get("isCharging")),
            "method": shown(value.get("chargingMethod")),
            "more": _list_more(BATTERY, value, say),
        }
        for value in _by_time(values)[piece]
    ]


def _draw_levels(values: Sequence[Record], zone: tzinfo) -> Plot | None:
    """The line of all levels that have a time and are numbers of sane size.

    Its scale is 0 to 100, and wider where a level lies outside.
    """
    points = []
    for value in values:
        when, level = moment_of(value.get("timestamp")), _decimal(value.get("level"))
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


def _decimal(raw: object) -> Decimal | None:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Decimal(raw)
    return number(raw)


def _places(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
    return [
        {
            "when": _when(value),
            "place": say(value.get("latLng")),
            "more": _list_more(LOCATION, value, say),
        }
        for value in _by_time(values)[piece]
    ]


def _apps(values: Sequence[Record], say: Say, piece: slice) -> list[dict[str, object]]:
    return [
        {"when": _when(value), "more": _list_more(APP, value, say)}
        | {name: say(value.get(name)) for name in ("label", "name", "package")}
        for value in _by_time(values)[piece]
    ]


def _list_more(kind: str, value: Record, say: Say) -> list[Leaf]:
    """What else a value holds; nothing while it is masked."""
    return list_of_value(kind, value) if say is _plainly else []


def _pairs(values: Sequence[Record], say: Say, piece: slice) -> list[list[tuple[str, str]]]:
    return [[(key, say(value)) for key, value in one.entries] for one in values[piece]]


def _when(value: Record) -> object:
    """The time inside a value, or what stands in its place."""
    raw = value.get("timestamp")
    return moment_of(raw) or (None if raw is None else Malformed(raw))


def _by_time(values: Sequence[Record]) -> list[Record]:
    return sorted(values, key=_time_key)


def _time_key(value: Record) -> tuple[bool, float]:
    when = moment_of(value.get("timestamp"))
    return (when is None, when.timestamp() if when else 0)


def _plainly(value: object) -> str:
    return shown(Malformed(value) if isinstance(value, Mapping | list | tuple) else value)


def _masked(value: object) -> str:
    return shown(value) if value is None else REDACTED


_LAYOUTS: Mapping[str, tuple[Callable[[Sequence[Record], Say, slice], Sequence[Any]], str]] = {
    SMS: (_threads, "messages"),
    CONTACT: (_contacts, "contacts"),
    BATTERY: (_battery, "battery"),
    LOCATION: (_places, "places"),
    APP: (_apps, "apps"),
}
