"""Ending a process at once, at the n-th step of what it does."""

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType

from django.db import connections

CRASHED, DONE, FAILED = 77, 0, 1

# A point is a call or a return of a function of these modules, or a transaction's commit.
_WATCHED = (
    "lendingadmin.money.repayments.",
    "lendingadmin.money.writes.idempotency",
    "lendingadmin.core.gateway.",
    "lendingadmin.lending.transport",
    "lendingadmin.lending.wire",
)
_COMMIT = "django.db.backends.base.base.BaseDatabaseWrapper._commit"
# Of a group only what parts its phases, and each of its calls on the wire.
_OF_GROUP = (
    "lendingadmin.money.repayments.services",
    "lendingadmin.money.repayments.sending",
    "lendingadmin.lending.parallel",
    "lendingadmin.lending.wire.send",
    "lendingadmin.lending.wire._read",
)


def _is_point(frame: FrameType, event: str, watched: tuple[str, ...]) -> bool:
    if event not in ("call", "return"):
        return False
    name = f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}"
    return name.startswith(watched) or name == _COMMIT


def exit_at(number: int, *, is_group: bool = False) -> None:
    """From here on this process ends, without any clearing up, at its n-th point.

    Points of all threads count that it starts from here on.
    """
    passed, watched = 0, _OF_GROUP if is_group else _WATCHED

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal passed
        if _is_point(frame, event, watched):
            passed += 1
            if passed == number:
                os._exit(CRASHED)

    threading.setprofile(watch)
    sys.setprofile(watch)


def in_child(act: Callable[[], None]) -> bool:
    """Run the act in a forked child with connections of its own; whether it lived to its end."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        status = FAILED
        try:
            act()
            status = DONE
        except BaseException:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (DONE, CRASHED), f"the child failed ({status}); see its error above"
    return status == DONE
