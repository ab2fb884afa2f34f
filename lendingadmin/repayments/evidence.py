"""What the loan's balances say about a repayment: pure rules over amounts and times.

Evidence stands beside the state, it is never the state itself: overpayments, capped or asynchronous
posting, other payments and null balances are all normal.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import TextChoices

from .states import State


class Effect(TextChoices):
    """How `paid` moved between two readings, measured against the repayment's amount."""

    SEEN = "seen", "seen: paid rose by exactly this amount"
    PARTLY = "partly", "partly: paid rose by less than this amount"
    MORE = "more", "more: paid rose by more, another payment landed too"
    NOT_YET = "not_yet", "not yet: paid has not risen"
    UNREADABLE = "unreadable", "unreadable: the balances do not tell"


class Look(NamedTuple):
    """One fresh reading of a loan: when, and what stood as paid (None: it could not be read)."""

    taken_at: datetime
    paid: Decimal | None


def effect(before: Decimal | None, after: Decimal | None, amount: Decimal) -> Effect:
    """Name what happened to `paid` between two readings, for a repayment of `amount`."""
    if before is None or after is None:
        return Effect.UNREADABLE
    rise = after - before
    if rise <= 0:
        return Effect.NOT_YET
    if rise == amount:
        return Effect.SEEN
    return Effect.PARTLY if rise < amount else Effect.MORE


def conclude(
    baseline: Decimal | None,
    looks: Sequence[Look],
    amount: Decimal,
    sent_at: datetime,
    quiet: timedelta,
) -> State:
    """Decide what an `unknown` repayment is by now; `looks` in the order they were taken.

    INFERRED when the last reading shows `paid` up by exactly the amount; NO_TRACE when the last two
    readings, both taken after the quiet time, show no rise; UNKNOWN otherwise.
    """
    if looks and effect(baseline, looks[-1].paid, amount) == Effect.SEEN:
        return State.INFERRED
    late = [look for look in looks[-2:] if look.taken_at >= sent_at + quiet]
    if len(late) == 2 and all(effect(baseline, x.paid, amount) == Effect.NOT_YET for x in late):
        return State.NO_TRACE
    return State.UNKNOWN


# How long after the n-th look the next one is due: close at first, then ever wider.
_FIRST_DELAYS = (1, 2, 4, 8, 15)
_LATER = timedelta(minutes=1)
_SOON = timedelta(minutes=5)


def next_delay(looks: int, since_sent: timedelta) -> timedelta:
    """The pause before the next look, by how many there were and how long ago it was sent."""
    if looks < len(_FIRST_DELAYS):
        return timedelta(seconds=_FIRST_DELAYS[looks])
    if since_sent < timedelta(minutes=2):
        return timedelta(seconds=_FIRST_DELAYS[-1])
    return _LATER if since_sent < timedelta(hours=1) else _SOON
