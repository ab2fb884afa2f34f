"""What came but is not what the spec says: kept as it came, so that a page can still show it."""

from collections.abc import Iterator
from typing import Any

import simplejson


class Malformed:
    """A value of the wrong type, as the service sent it.

    `raw` is the value itself and `str()` shows it readably. It iterates as empty and is true, so a
    page that loops or tests meets no surprise. Its repr shows the type only, never the content.
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: object) -> None:
        object.__setattr__(self, "_raw", raw)

    @property
    def raw(self) -> object:
        """The JSON value that came."""
        raw: object = object.__getattribute__(self, "_raw")
        return raw

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a value of the service cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a value of the service cannot be changed")

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Malformed) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(Malformed)

    def __str__(self) -> str:
        if isinstance(self.raw, str):
            return self.raw
        try:
            return simplejson.dumps(self.raw, use_decimal=True, ensure_ascii=False, allow_nan=True)
        except (TypeError, ValueError, RecursionError):
            # Too deep, too long a number, or no JSON at all: the type is what can still be said.
            return type(self.raw).__name__

    def __repr__(self) -> str:
        return f"<Malformed {type(self.raw).__name__}>"
