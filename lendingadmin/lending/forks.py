"""Objects that must not be shared with a parent process: connections, locks, pools.

A connection used on both sides of a fork gives one customer's answer to another. A lock or
semaphore that a thread of the parent held stays locked forever in the child.
"""

import os
from weakref import WeakSet


class ForkSafe:
    """An object that starts again, empty, in a child process.

    A subclass creates in `reset` the parts that it cannot share. Its constructor calls `reset`, and
    every forked child runs `reset` again automatically.
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
