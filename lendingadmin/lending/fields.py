"""Base classes of the service's values, which never change and show no content in their repr.

A field has the type of the spec. It is a Malformed for a value of another type, and None for a
missing value. A field is written `Annotated[type, reader]`; the reader makes the field from the
JSON value. A reader of objects also gets their class. A second annotation is the JSON key, if it
differs from the usual key for the name.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar, get_args

import simplejson

_LONGEST_ID = 80
# A status with more digits is not a real status, and its text could fill the memory.
_LONGEST_STATUS = 30
_WORD_START = re.compile(r"_([a-z])")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, repr=False)
class Malformed:
    """A value of the wrong type, as the service sent it.

    `raw` is the value; `str()` returns it as JSON. A Malformed is empty in a loop and true in a
    condition, so that pages work. Its repr shows only the type, never the content.
    """

    raw: object

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __hash__(self) -> int:
        return hash(Malformed)

    def __str__(self) -> str:
        if isinstance(self.raw, str):
            return self.raw
        try:
            return simplejson.dumps(self.raw, use_decimal=True, ensure_ascii=False, allow_nan=True)
        except (TypeError, ValueError, RecursionError):
            # The value has too many levels, has a number that is too long, or is not JSON. So only
            # its type is shown.
            return type(self.raw).__name__

    def __repr__(self) -> str:
        return f"<Malformed {type(self.raw).__name__}>"


class Value:
    """A JSON object of the service. A field of a wrong type is not an error.

    A field that is missing or null is None; a field of a wrong type is a Malformed. Keys that the
    spec does not name are preserved, and `raw` is the complete object as received. Each field is
    read at its first use, because a list shows only nine of the 150 fields of a loan.
    """

    # Field that identifies a value in a log; None if this field would be personal data.
    id_field: ClassVar[str | None] = None
    # JSON keys of the fields in the spec, by the name in Python.
    api_names: ClassVar[Mapping[str, str]] = {}

    _raw: Mapping[str, object]

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.__dict__["_raw"] = raw

    def __init_subclass__(cls) -> None:
        names = dict(cls.api_names)
        for name, hint in get_annotations(cls).items():
            if hasattr(hint, "__metadata__"):
                field = _Field(name, hint)
                setattr(cls, name, field)
                names[name] = field.key
        cls.api_names = names

    @property
    def raw(self) -> Mapping[str, object]:
        """The JSON object as received, with all keys and digits, to send back to the service."""
        return self._raw

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values as received, in their order."""
        return tuple(self._raw.items())

    @property
    def others(self) -> tuple[tuple[str, object], ...]:
        """The keys that the spec does not name, with their values, in their order."""
        named = set(self.api_names.values())
        return tuple((key, value) for key, value in self._raw.items() if key not in named)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a value of the service cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a value of the service cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Value) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = getattr(self, self.id_field, None) if self.id_field else None
        name = type(self).__name__
        return f"<{name} {shown[:_LONGEST_ID]!r}>" if isinstance(shown, str) else f"<{name}>"


class _Field:
    """A field of a value.

    At its first use the field reads the JSON key and saves the result in the value's `__dict__`.
    After that, Python finds the result there and does not call the field, because the field is not
    a data descriptor.
    """

    def __init__(self, name: str, hint: Any) -> None:
        documented, reader, *key = get_args(hint)
        kind = _kind_in(documented)
        self.name = name
        self.key: str = key[0] if key else _WORD_START.sub(lambda at: at[1].upper(), name)
        self.read: Callable[[object], object] = partial(reader, kind) if kind else reader

    def __get__(self, value: Value | None, owner: type[Value]) -> object:
        if value is None:
            return self
        known = value.__dict__
        raw = known["_raw"].get(self.key)
        read = known[self.name] = None if raw is None else self.read(raw)
        return read


def _kind_in(hint: Any) -> type[Value] | None:
    """Return the Value class in the type of a field: Balance for `Balance | Malformed | None`."""
    if isinstance(hint, type) and issubclass(hint, Value):
        return hint
    return next(filter(None, map(_kind_in, get_args(hint))), None)


class Record(Value):
    """An object whose fields the spec does not show; it has only the data as received."""

    def get(self, key: str, default: object = None) -> object:
        """Return the value of one key as received, or the default."""
        return self._raw.get(key, default)


Nested = TypeVar("Nested", bound=Value)
Member = TypeVar("Member")


def _text(raw: object) -> str | Malformed:
    return raw if isinstance(raw, str) else Malformed(raw)


def _number(raw: object) -> Decimal | Malformed:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return Decimal(raw)
    return raw if isinstance(raw, Decimal) and raw.is_finite() else Malformed(raw)


def _flag(raw: object) -> bool | Malformed:
    return raw if isinstance(raw, bool) else Malformed(raw)


def _status(raw: object) -> Decimal | str | Malformed:
    return raw if isinstance(raw, str) else _number(raw)


def _timestamp(raw: object) -> datetime | Malformed:
    try:
        if isinstance(raw, str) and _TIMESTAMP.fullmatch(raw):
            return datetime.fromisoformat(raw).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    return Malformed(raw)


def _day(raw: object) -> date | Malformed:
    try:
        if isinstance(raw, str) and _DAY.fullmatch(raw):
            return date.fromisoformat(raw)
    except ValueError:
        pass
    return Malformed(raw)


def _texts(raw: object) -> tuple[str | Malformed, ...] | Malformed:
    return tuple(map(_text, raw)) if isinstance(raw, list) else Malformed(raw)


def _one(kind: type[Nested], raw: object) -> Nested | Malformed:
    return kind(raw) if isinstance(raw, Mapping) else Malformed(raw)


def _many(kind: type[Nested], raw: object) -> tuple[Nested | Malformed, ...] | Malformed:
    return tuple(_one(kind, item) for item in raw) if isinstance(raw, list) else Malformed(raw)


Text: TypeAlias = Annotated[str | Malformed | None, _text]
Number: TypeAlias = Annotated[Decimal | Malformed | None, _number]
Flag: TypeAlias = Annotated[bool | Malformed | None, _flag]
Status: TypeAlias = Annotated[Decimal | str | Malformed | None, _status]
Timestamp: TypeAlias = Annotated[datetime | Malformed | None, _timestamp]
Day: TypeAlias = Annotated[date | Malformed | None, _day]
Texts: TypeAlias = Annotated[tuple[str | Malformed, ...] | Malformed | None, _texts]
One: TypeAlias = Annotated[Nested | Malformed | None, _one]
Many: TypeAlias = Annotated[tuple[Nested | Malformed, ...] | Malformed | None, _many]


def number(value: object) -> Decimal | None:
    """Return the value if it is a number, else None. Use this for all arithmetic."""
    return value if isinstance(value, Decimal) else None


def text(value: object) -> str | None:
    """Return the value if it is text, else None."""
    return value if isinstance(value, str) else None


def moment(value: object) -> datetime | None:
    """Return the value if it is a point in time (aware, UTC), else None."""
    return value if isinstance(value, datetime) else None


def each(values: Iterable[Member | Malformed] | None) -> tuple[Member, ...]:
    """Return the items of a list that are not Malformed.

    Return no items if the list itself is Malformed or missing.
    """
    return tuple(item for item in values or () if not isinstance(item, Malformed))


def status_key(value: object) -> str:
    """Return a status as a key for its words: `2` for 2, 2.0 and `2`; empty for None."""
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
    """Return a point in time in the service's form: UTC, milliseconds, Z (Spec: Conventions).

    Raise ValueError for a time without a zone.
    """
    if value.tzinfo is None:
        raise ValueError("a time without a zone cannot be sent")
    in_utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    return f"{in_utc.isoformat(timespec='milliseconds')[:-6]}Z"


def find_malformed(value: Value, within: str = "") -> Iterator[str]:
    """Yield the fields of a wrong type, as paths of JSON names.

    Examples are `amounts.principal` and `installments[0].dueDate`. Keys that the spec does not
    name are left out.
    """
    for name, key in value.api_names.items():
        yield from _walk(getattr(value, name), f"{within}.{key}" if within else key)


def _walk(found: object, place: str) -> Iterator[str]:
    if isinstance(found, Malformed):
        yield place
    elif isinstance(found, Value):
        yield from find_malformed(found, place)
    elif isinstance(found, tuple):
        for index, item in enumerate(found):
            yield from _walk(item, f"{place}[{index}]")
