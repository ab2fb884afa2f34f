"""What is erased of one borrower at their request, and what is kept: areas register both.

What is not over yet, a write of unknown outcome or an offer that can still be lent from, is no
one's to erase: it is found again when the command runs again.
"""

from collections.abc import Callable
from typing import NamedTuple

OfBorrower = Callable[[str, str], int]


class Erasable(NamedTuple):
    """What goes: `what` in words, and what erases it of an app and a borrower and counts it."""

    what: str
    erase: OfBorrower


class KeptOn(NamedTuple):
    """What stays: `what` in words, why or until when, and what counts its rows."""

    what: str
    why: str
    count_rows: OfBorrower


ERASABLE: list[Erasable] = []
KEPT_ON: list[KeptOn] = []


def register_erasable(what: str, erase: OfBorrower) -> None:
    """Let `manage.py erase` erase this too. `erase` does it in a transaction of its own."""
    ERASABLE.append(Erasable(what, erase))


def register_kept(what: str, why: str, count_rows: OfBorrower) -> None:
    """Let `manage.py erase` say that this stays."""
    KEPT_ON.append(KeptOn(what, why, count_rows))
