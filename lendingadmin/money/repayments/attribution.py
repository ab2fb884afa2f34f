"""Attribution of a rise in a loan's `paid` to the repayments that the journal knows.

`evidence.attribute` has the rules. This module calls it with the journal's rows and readings.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db.models import QuerySet

from .evidence import Effect, OtherRepayment, PaidReading, attribute
from .models import Reading, Repayment
from .states import RepaymentState, Resolution

# If `paid` does not show an acknowledged repayment within this time, it never will. A repayment
# that is undecided, or that a person marked as recorded, may show at any time.
_SHOWS_WITHIN = timedelta(hours=24)

# The states of repayments that the service has or will get.
_LANDED = (RepaymentState.SENT, RepaymentState.RECORDED, RepaymentState.PRESUMED)
_UNDECIDED = (RepaymentState.UNKNOWN, RepaymentState.NOT_FOUND)


class Attribution(NamedTuple):
    """Explanation of a rise in `paid`: the effect of one repayment, and other possible causes.

    `rise` is in the loan's currency; None if the readings do not show a rise. `landed` are the
    loan's other repayments that the service has or will get. `undecided` are the loan's other
    repayments that the service may have.
    """

    effect: Effect
    rise: Decimal | None
    landed: list[Repayment]
    undecided: list[Repayment]


def attribution_of(repayment: Repayment, after: Reading | None = None) -> Attribution | None:
    """Return the attribution for a repayment at `after`, by default the newest reading of its loan.

    For a presumed repayment, the default is the reading that led to the presumption, because later
    rises belong to other repayments. Return None if the reading before or after is missing.
    """
    before = _reference(repayment)
    if after is None and repayment.state == RepaymentState.PRESUMED:
        after = repayment.latest
    after = after or _readable(repayment).order_by("-taken_at", "-id").first()
    if before is None or after is None:
        return None
    first, last = paid_at(before), paid_at(after)
    others = others_of(repayment, first.taken_at, last.taken_at)
    rise = None if first.paid is None or last.paid is None else last.paid - first.paid
    return Attribution(
        attribute(first, last, repayment.moves_paid_by, [other for _, other in others]),
        rise,
        [row for row, other in others if other.is_landed],
        [row for row, other in others if not other.is_landed],
    )


def paid_at(reading: Reading) -> PaidReading:
    """Return a saved reading in the form that the rules need (`evidence`)."""
    return PaidReading(reading.taken_at, reading.paid_amount)


def others_of(
    repayment: Repayment, since: datetime, until: datetime
) -> list[tuple[Repayment, OtherRepayment]]:
    """Return the loan's other repayments that may have changed `paid` between two times."""
    rows = Repayment.objects.filter(
        app_id=repayment.app_id, account_id=repayment.account_id, sent_at__lte=until
    ).exclude(pk=repayment.pk)
    rows = rows.filter(state__in=(*_LANDED, *_UNDECIDED, RepaymentState.RESOLVED)).order_by(
        "sent_at"
    )
    baselines = Reading.objects.filter(repayment__in=rows, kind=Reading.Kind.BASELINE)
    paid = {one.repayment_id: one.paid_amount for one in baselines}
    found = []
    for row in rows:
        sent_at = row.sent_at or row.created_at
        by_a_person = row.state == RepaymentState.RESOLVED
        is_landed = row.state in _LANDED or row.resolution == Resolution.RECORDED
        if by_a_person and not is_landed and until - sent_at > _SHOWS_WITHIN:
            continue
        may_be_late = by_a_person or since - sent_at <= _SHOWS_WITHIN
        other = OtherRepayment(sent_at, paid.get(row.pk), row.moves_paid_by, is_landed, may_be_late)
        found.append((row, other))
    return found


def _reference(repayment: Repayment) -> Reading | None:
    """Return the reading from which a rise is measured.

    Return the baseline. For an abandoned repayment, return the last reading before the repayment
    was abandoned. Return None if there is no such reading.
    """
    own = repayment.readings.order_by("taken_at", "id")
    if repayment.state in (RepaymentState.NOT_FOUND, RepaymentState.RESOLVED):
        return own.filter(taken_at__lte=repayment.state_at, fault="").last()
    return own.filter(kind=Reading.Kind.BASELINE).last()


def _readable(repayment: Repayment) -> QuerySet[Reading]:
    return Reading.objects.filter(
        repayment__app_id=repayment.app_id, repayment__account_id=repayment.account_id, fault=""
    )
