"""Rules that judge a repayment by the balances of its loan: pure functions of amounts and times.

Evidence is separate from the state and never replaces the state, because overpayments, capped or
asynchronous posting, other payments and missing balances are all normal.

A rise in `paid` is evidence for at most one repayment. First, the part that other repayments of the
loan explain is subtracted. If the rest may belong to two repayments, it is evidence for neither.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from .states import RepaymentState

# With more undecided repayments than this on one loan, their sums are not tried, and the result is
# CONTESTED.
_MOST_RIVALS = 10


class Effect(TextChoices):
    """The change of `paid` between two readings, compared with the repayment's amount."""

    SEEN = "seen", _("seen: the paid amount rose by exactly this amount")
    PARTLY = "partly", _("partly: the paid amount rose by less than this amount")
    MORE = (
        "more",
        _(
            "more: the paid amount rose by more than this amount. The cause may be another "
            "payment, a conversion or a payment posted twice"
        ),
    )
    NOT_YET = "not_yet", _("not yet: the paid amount has not risen")
    EXPLAINED = "explained", _("explained: other repayments explain the rise of the paid amount")
    CONTESTED = (
        "contested",
        _("disputed: the paid amount rose, but another repayment may also explain the rise"),
    )
    UNREADABLE = "unreadable", _("unreadable: the balances do not show the effect")


class PaidReading(NamedTuple):
    """A reading of a loan: the time, and the amount paid; None if it could not be read."""

    taken_at: datetime
    paid: Decimal | None


class OtherRepayment(NamedTuple):
    """Another repayment of the same loan, which was sent and may have changed `paid`.

    sent_at      when it was sent
    paid_before  the amount paid before that; None if it could not be read
    amount       the amount by which it moves `paid`; None if unknown (another currency)
    is_landed    whether it is at the service, or on the way to it; the others may be there or not
    may_be_late  whether it may show in `paid` only after the baseline of another repayment
    """

    sent_at: datetime
    paid_before: Decimal | None
    amount: Decimal | None
    is_landed: bool
    may_be_late: bool = True


def effect(before: Decimal | None, after: Decimal | None, amount: Decimal) -> Effect:
    """Return the effect between two readings of `paid`, for a repayment of `amount`."""
    if before is None or after is None:
        return Effect.UNREADABLE
    rise = after - before
    if rise <= 0:
        return Effect.NOT_YET
    if rise == amount:
        return Effect.SEEN
    return Effect.PARTLY if rise < amount else Effect.MORE


def attribute(
    before: PaidReading,
    after: PaidReading,
    amount: Decimal | None,
    others: Sequence[OtherRepayment],
) -> Effect:
    """Return the effect of a repayment on `paid`, with account of the loan's other repayments.

    `amount` is the amount of the repayment; None if its effect on `paid` is unknown. The amounts of
    landed repayments are subtracted from the rise. SEEN, PARTLY and MORE describe the rest of the
    rise, and apply only if no sum of undecided repayments explains this rest.
    """
    if before.paid is None or after.paid is None:
        return Effect.UNREADABLE
    if after.paid <= before.paid:
        return Effect.NOT_YET
    if amount is None:
        return Effect.UNREADABLE
    known = [other for other in others if other.sent_at <= after.taken_at]
    accounted = _accounted_for(before, [other for other in known if other.is_landed])
    if accounted is None:
        return Effect.CONTESTED
    rest = after.paid - before.paid - accounted
    if rest <= 0:
        return Effect.EXPLAINED
    if _may_sum_to(rest, [other.amount for other in known if not other.is_landed]):
        return Effect.CONTESTED
    return effect(Decimal(0), rest, amount)


def _accounted_for(before: PaidReading, landed: Sequence[OtherRepayment]) -> Decimal | None:
    """Return the part of the rise in `paid` after `before` that belongs to landed repayments.

    This is the sum of all repayments that were sent after `before`, and of the part of earlier
    repayments that `before` did not show yet. Return None if a necessary amount is unknown.
    """
    earlier = [other for other in landed if other.sent_at <= before.taken_at]
    later = [other.amount for other in landed if other.sent_at > before.taken_at]
    owed = _not_shown(before.paid or Decimal(0), earlier)
    known = [amount for amount in later if amount is not None]
    if owed is None or len(known) < len(later):
        return None
    return owed + sum(known, Decimal(0))


def _not_shown(paid: Decimal, earlier: Sequence[OtherRepayment]) -> Decimal | None:
    """Return the part of these repayments that `paid` does not show yet; None if unknown.

    A rise in `paid` since a repayment's baseline counts for that repayment and all later
    repayments. The result is the largest missing amount of all these baselines.
    """
    most = Decimal(0)
    expected: Decimal | None = Decimal(0)
    for other in sorted(earlier, key=lambda other: other.sent_at, reverse=True):
        shown = None if other.paid_before is None else paid - other.paid_before
        if other.amount is None or expected is None:
            # The amount is unknown, so any rise since the baseline counts as the effect of this
            # repayment.
            if other.may_be_late and (shown is None or shown <= 0):
                return None
            expected = None
            continue
        expected += other.amount
        if other.may_be_late:
            most = max(most, expected - max(shown or Decimal(0), Decimal(0)))
    return most


def _may_sum_to(rest: Decimal, amounts: Sequence[Decimal | None]) -> bool:
    """Return True if the amounts of some undecided repayments may add up to the rest."""
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts) or len(known) > _MOST_RIVALS:
        return True
    return any(
        sum(some, Decimal(0)) == rest
        for count in range(1, len(known) + 1)
        for some in combinations(known, count)
    )


def conclude(
    baseline: PaidReading | None,
    checks: Sequence[PaidReading],
    amount: Decimal | None,
    quiet_from: datetime,
    others: Sequence[OtherRepayment],
) -> RepaymentState:
    """Return the new state of an `unknown` repayment. `checks` are the later readings, in order.

    The state is PRESUMED if the last reading shows a rise of exactly this amount, and nothing else
    explains this rise. The state is NOT_FOUND if the last two readings show no rise, and both were
    taken after `quiet_from`. Otherwise the state is UNKNOWN.
    """
    if baseline is None or not checks:
        return RepaymentState.UNKNOWN
    if attribute(baseline, checks[-1], amount, others) == Effect.SEEN:
        return RepaymentState.PRESUMED
    late = [check for check in checks[-2:] if check.taken_at >= quiet_from]
    if len(late) == 2 and all(_shows_no_rise(baseline, check) for check in late):
        return RepaymentState.NOT_FOUND
    return RepaymentState.UNKNOWN


def _shows_no_rise(baseline: PaidReading, check: PaidReading) -> bool:
    return baseline.paid is not None and check.paid is not None and check.paid <= baseline.paid
