"""What every value has in common: frozen, tolerant, whole, and silent about people in its repr."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from inspect import get_annotations
from typing import Any, ClassVar, get_args

_LONGEST_ID = 80
_WORD_START = re.compile(r"_([a-z])")


class Value:
    """A JSON object of the service, read tolerantly: no field of any type makes it fail.

    A field that is absent or null is None; one of the wrong type is a Malformed. Keys that the spec
    does not name are kept, and `raw` is the whole object as it came. Each field is read when it is
    first asked for: a list shows nine of the hundred and fifty that a page's loans have each.
    """

    # The field that tells one from another in a log; None where that would be personal data.
    id_field: ClassVar[str | None] = None
    # The fields that the spec names: Python's name of each, and the key on the wire.
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
        """The JSON object as it came, to the last key and digit: what goes back to the service."""
        return self._raw

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values as they came, in their order."""
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
    """A field of a value: read from the wire's key at its first use, and kept with the value.

    Not a data descriptor, so what it left in the value's `__dict__` is found without it from then.
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
        read = known[self.name] = self.read(known["_raw"].get(self.key))
        return read


def _kind_in(hint: Any) -> type[Value] | None:
    """The Value that a field's type is made of: Balance of `Balance | Malformed | None`."""
    if isinstance(hint, type) and issubclass(hint, Value):
        return hint
    return next(filter(None, map(_kind_in, get_args(hint))), None)


class Record(Value):
    """An object whose fields the spec does not show: only what came (`entries`, `get`)."""

    def get(self, key: str, default: object = None) -> object:
        """The value of one key as it came, or the default."""
        return self._raw.get(key, default)
