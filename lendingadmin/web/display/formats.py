"""The formats of the current page: numbers and days by its language, times in a person's zone.

The functions of this package take the locale and the zone as arguments. Template filters and the
rows of a list get the locale and the zone from this module.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import tzinfo
from functools import cache

from django.utils.translation import get_language

from .locales import DEFAULT_LOCALE


def _read_no_zone() -> tzinfo | None:
    return None


_read_zone: ContextVar[Callable[[], tzinfo | None]] = ContextVar("zone", default=_read_no_zone)


@contextmanager
def use_zone(read: Callable[[], tzinfo | None]) -> Iterator[None]:
    """Set the zone of times for this block.

    `read` returns the person's zone, or None for the lender's zone. `read` is called only when the
    first time is written, so that a health check needs no database.
    """
    token = _read_zone.set(cache(read))
    try:
        yield
    finally:
        _read_zone.reset(token)


def locale() -> str:
    """Return the locale of numbers and days, which is the language of the page."""
    return get_language() or DEFAULT_LOCALE


def zone() -> tzinfo | None:
    """Return the zone that the person chose for times; None without a choice."""
    return _read_zone.get()()
