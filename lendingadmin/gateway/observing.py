"""The calls that a piece of work made of the service, to name them afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lendingadmin.lending.calls import Call

_watched: ContextVar[list[Call] | None] = ContextVar("watched", default=None)


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Collect the calls that this thread makes inside the block, in their order.

    Reads that run in parallel have threads of their own and are not among them. A block around this
    one has them too, once this one is over.
    """
    made: list[Call] = []
    before = _watched.set(made)
    try:
        yield made
    finally:
        _watched.reset(before)
        if (around := _watched.get()) is not None:
            around.extend(made)


def keep(call: Call) -> None:
    """Hand a call that is over to the block that waits for it, if there is one."""
    made = _watched.get()
    if made is not None:
        made.append(call)
