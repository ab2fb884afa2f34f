"""Objects that must not be shared with a parent process: connections, locks, pools.

If parent and child use the same connection, one may get the answer that belongs to the other. If a
thread of the parent has a lock or semaphore at the time of the fork, it is locked forever in the
child.
"""

import os
from weakref import WeakSet


class ForkSafe:
    """An object that is reset in a child process.

    A subclass creates the parts that must not be shared in `reset`. Its constructor calls `reset`,
    and every forked child runs `reset` again automatically.
    """

    def __init__(self) -> None:
        self.reset()
        _living.add(self)

    def reset(self) -> None:
        """Create the parts that a child must not share with its parent."""
        raise NotImplementedError


_living: "WeakSet[ForkSafe]" = WeakSet()


def _after_fork() -> None:
    for one in tuple(_living):
        one.reset()


os.register_at_fork(after_in_child=_after_fork)
