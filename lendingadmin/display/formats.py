"""The person who reads: how they want numbers and days written, and in which zone moments.

The functions of this package take both as arguments; what draws for a person (template filters, the
columns of a list) asks here. Outside of a request, and in whatever is compared, exported or sent,
nobody reads: that is `DEFAULT_LOCALE`, and no zone of one's own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import tzinfo
from functools import cached_property
from typing import NamedTuple

from .locales import DEFAULT_LOCALE


class Formats(NamedTuple):
    """`zone` is None for somebody who reads moments in the lender's zone."""

    locale: str = DEFAULT_LOCALE
    zone: tzinfo | None = None


DEFAULT_FORMATS = Formats()


class _LazyFormats:
    """Asks who reads when it is first needed: a health check costs no look into the database."""

    def __init__(self, ask: Callable[[], Formats]) -> None:
        self._ask = ask

    @cached_property
    def reader(self) -> Formats:
        return self._ask()


_default = _LazyFormats(lambda: DEFAULT_FORMATS)
_current: ContextVar[_LazyFormats] = ContextVar("reader", default=_default)


@contextmanager
def use_formats(ask: Callable[[], Formats]) -> Iterator[None]:
    """Sets the current person's formats for this block; `ask` is called once, when needed."""
    token = _current.set(_LazyFormats(ask))
    try:
        yield
    finally:
        _current.reset(token)


def locale() -> str:
    """How the person writes numbers and days."""
    return _current.get().reader.locale


def zone() -> tzinfo | None:
    """The zone that the person chose for moments, or None."""
    return _current.get().reader.zone
