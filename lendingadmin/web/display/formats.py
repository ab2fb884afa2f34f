"""The formats of the current page: numbers and days by its language, moments in a person's zone.

The functions of this package take the locale and the zone as arguments; template filters and the
rows of a list read them here.
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
    """Set the zone of moments for this block; None is the lender's zone.

    `read` is called when a moment is first written, because a health check needs no database.
    """
    token = _read_zone.set(cache(read))
    try:
        yield
    finally:
        _read_zone.reset(token)


def locale() -> str:
    """Return the locale of numbers and days: the language of the page's words."""
    return get_language() or DEFAULT_LOCALE


def zone() -> tzinfo | None:
    """Return the zone that the person chose for moments, or None."""
    return _read_zone.get()()
