"""The current person's formats: the locale of numbers and days, and the zone of moments.

The functions of this package take both as arguments; template filters and the columns of a list
read them here. Outside of a request, and in all that is compared, exported or sent, they are
`DEFAULT_LOCALE` and no zone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import tzinfo
from functools import cached_property
from typing import NamedTuple

from .locales import DEFAULT_LOCALE


class Formats(NamedTuple):
    """`zone` is None for a person who sees moments in the lender's zone."""

    locale: str = DEFAULT_LOCALE
    zone: tzinfo | None = None


DEFAULT_FORMATS = Formats()


class _LazyFormats:
    """Reads the person's choice when first needed, so that a health check needs no database."""

    def __init__(self, read: Callable[[], Formats]) -> None:
        self._read = read

    @cached_property
    def chosen(self) -> Formats:
        return self._read()


_default = _LazyFormats(lambda: DEFAULT_FORMATS)
_current: ContextVar[_LazyFormats] = ContextVar("formats", default=_default)


@contextmanager
def use_formats(read: Callable[[], Formats]) -> Iterator[None]:
    """Set the current person's formats for this block; `read` is called at most once."""
    token = _current.set(_LazyFormats(read))
    try:
        yield
    finally:
        _current.reset(token)


def locale() -> str:
    """The locale of the person's numbers and days."""
    return _current.get().chosen.locale


def zone() -> tzinfo | None:
    """The zone that the person chose for moments, or None."""
    return _current.get().chosen.zone
