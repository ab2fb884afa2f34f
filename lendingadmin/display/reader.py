"""The person who reads: how they want numbers and days written, and in which zone moments.

The functions of this package take both as arguments; what draws for a person (template filters, the
columns of a list) asks here. Outside of a request, and in whatever is compared, exported or sent,
nobody reads: that is `HOUSE`, and no zone of one's own.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import tzinfo
from functools import cached_property
from typing import NamedTuple

from lendingadmin.display.locales import HOUSE


class Reader(NamedTuple):
    """`zone` is None for somebody who reads moments in the lender's zone."""

    locale: str = HOUSE
    zone: tzinfo | None = None


NOBODY = Reader()


class _Asked:
    """Asks who reads when it is first needed: a health check costs no look into the database."""

    def __init__(self, ask: Callable[[], Reader]) -> None:
        self._ask = ask

    @cached_property
    def reader(self) -> Reader:
        return self._ask()


_nobody = _Asked(lambda: NOBODY)
_current: ContextVar[_Asked] = ContextVar("reader", default=_nobody)


@contextmanager
def reading(ask: Callable[[], Reader]) -> Iterator[None]:
    """Within this, `ask` says who reads; it is called at most once."""
    token = _current.set(_Asked(ask))
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
