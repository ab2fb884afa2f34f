"""What is erased of one borrower on request, or of all by its age, and what is kept.

Areas register all of it; the worker erases what is older than KEEP_TEXTS_DAYS.

What is not over yet, a write of unknown outcome or an offer that can still be lent from, is no
one's to erase: it is found again when the command runs again.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

OfBorrower = Callable[[str, str], int]
Older = Callable[[datetime, int], int]

# Rows of a table that the worker erases at once, so that nobody waits for long.
_AT_ONCE = 500


class Erasable(NamedTuple):
    """What goes: `what` in words, and what erases it of an app and a borrower and counts it.

    `erase_older` erases what is older than a moment, of everybody, at most so many rows.
    """

    what: str
    erase: OfBorrower
    erase_older: Older | None = None


class KeptOn(NamedTuple):
    """What stays: `what` in words, why or until when, and what counts its rows."""

    what: str
    why: str
    count_rows: OfBorrower


ERASABLE: list[Erasable] = []
KEPT_ON: list[KeptOn] = []


def register_erasable(what: str, erase: OfBorrower, erase_older: Older | None = None) -> None:
    """Let `manage.py erase` erase this too, and the worker what is old of it, where it ages.

    Each does it in a transaction of its own.
    """
    ERASABLE.append(Erasable(what, erase, erase_older))


def register_kept(what: str, why: str, count_rows: OfBorrower) -> None:
    """Let `manage.py erase` say that this stays."""
    KEPT_ON.append(KeptOn(what, why, count_rows))


def erase_old() -> bool:
    """Erase a batch of what is older than KEEP_TEXTS_DAYS; whether that was all."""
    before = timezone.now() - timedelta(days=settings.KEEP_TEXTS_DAYS)
    batches = [one.erase_older(before, _AT_ONCE) for one in ERASABLE if one.erase_older]
    return max(batches, default=0) < _AT_ONCE
