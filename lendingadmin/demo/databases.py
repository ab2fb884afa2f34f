"""Databases of the demo. Several demos may use them; they are removed only if no demo runs."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lendingadmin.demo.environment import ANCHOR

_FILES = (
    *(
        f"{name}{end}"
        for name in ("demo.sqlite3", "sandbox.sqlite3")
        for end in ("", "-wal", "-shm", "-journal")
    ),
    ANCHOR,
    Path(ANCHOR).with_suffix(".sent.json").name,
)


class InUse(Exception):
    """Error: the databases can't be removed, because another demo uses them."""


@contextmanager
def held(var: Path, *, fresh: bool) -> Iterator[None]:
    """Protect the databases from removal inside the block; with `fresh`, remove them first.

    Raise InUse if `fresh` is True and another demo uses the databases. Databases that the
    environment names are never removed.
    """
    var.mkdir(parents=True, exist_ok=True)
    with (var / "demo.lock").open("w") as lock:
        if fresh:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InUse(
                    f"A demo is running on the databases in {var}: stop it first."
                ) from error
            for name in _FILES:
                (var / name).unlink(missing_ok=True)
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
