"""The lines of a statement of account, from the journal and from readings of a loan's balances.

The lending service gives only the present balances (spec: LoanBalances), and no list of
transactions. This dashboard knows the repayments that it recorded, and the balances that it read at
some moments. Between two readings, the rise of `paid` is compared with the recorded repayments. The
rest that no repayment explains becomes a separate line, with the times of the two readings.

The lines always add up from the opening to the closing balance. Amounts are Decimals in the loan's
currency. A positive amount raises the amount owed.
"""

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Context, Decimal, localcontext
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

# If `paid` does not show an acknowledged repayment within this time, it never will.
SHOWS_WITHIN = timedelta(hours=24)
# With these digits, a billion amounts are added exactly, even if they differ by forty places.
_EXACT = Context(prec=150)
_ZERO = Decimal(0)


class LineKind(StrEnum):
    """The kind of a line."""

    PRINCIPAL = "principal"
    INTEREST = "interest"
    FEES = "fees"
    PENALTY = "penalty"
    # All charges in one amount, if the service or an old reading does not give the parts.
    CHARGED = "charged"
    ADDED = "added"
    REDUCED = "reduced"
    REPAYMENT = "repayment"
    OTHER = "other"
    FELL = "fell"
    UNCOUNTED = "uncounted"


#: The lines that the recorded repayments do not explain.
UNEXPLAINED = frozenset({LineKind.OTHER, LineKind.FELL, LineKind.UNCOUNTED})


class Balance(NamedTuple):
    """A reading of a loan, taken at some time from `since` to `until`.

    `paid` is the total amount paid. `total` is the sum of principal and all charges; None if it
    could not be read.
    """

    since: datetime
    until: datetime
    paid: Decimal
    total: Decimal | None


class Recorded(NamedTuple):
    """A recorded repayment. `key` is its primary key.

    `is_late` is True if `paid` may show the repayment at any time, because a person resolved it.
    """

    key: int
    sent_at: datetime
    amount: Decimal
    is_late: bool = False


class Line(NamedTuple):
    """A line of the statement. `key` is the primary key of the repayment, if the line has one."""

    kind: LineKind
    amount: Decimal
    since: datetime | None = None
    until: datetime | None = None
    key: int | None = None


class Statement(NamedTuple):
    """A statement of one loan. `opening` plus the lines is `closing`.

    `begins` is the time of the first reading; None if the statement begins with the loan. `is_late`
    is True if no reading is as old as the begin of the requested period. `ends` is the time of the
    last reading.
    """

    opening: Decimal
    lines: tuple[Line, ...]
    closing: Decimal
    begins: datetime | None
    is_late: bool
    ends: datetime

    @property
    def unexplained(self) -> Decimal:
        """The sum of the lines that the recorded repayments do not explain."""
        with localcontext(_EXACT):
            return sum((one.amount for one in self.lines if one.kind in UNEXPLAINED), _ZERO)


class NoReading(Exception):
    """Error: no balances were read in the requested period."""


class Unbalanced(Exception):
    """Error: the lines do not add up to the closing balance. Such a statement is never shown."""


def build_statement(
    began_at: datetime,
    readings: Sequence[Balance],
    present: Balance,
    parts: Sequence[tuple[LineKind, Decimal]],
    repayments: Sequence[Recorded],
    since: datetime | None = None,
    until: datetime | None = None,
) -> Statement:
    """Return the statement of a loan that began at `began_at`.

    `parts` are the parts of the present total; empty if the service does not give all of them. The
    period is from `since` to `until`; None means the beginning of the loan, and the present. Raise
    NoReading if there is no reading with which the statement can end.
    """
    with localcontext(_EXACT):
        journal = sorted(repayments, key=lambda one: one.sent_at)
        earlier = _choose_readings(readings, present, journal)
        last = _find_last(earlier, present, until)
        read = [one for one in earlier if one.until <= last.until]
        read += [present] if last is present else []
        # A reading or a repayment may be older than the day on which the loan begins.
        times = [one.since for one in read] + [one.sent_at for one in journal[:1]]
        start = min(began_at, *times)
        steps = [Balance(start, start, _ZERO, _ZERO), *read]
        first, is_late = _find_first(steps, since)
        whole_parts = parts if last is present else ()
        lines = _list_charges(steps[first:], whole_parts, began_at if first == 0 else None)
        lines += _list_payments(steps, first, journal)
        opening = _owed(steps[first])
        found = Statement(
            opening,
            tuple(lines),
            _owed(last),
            steps[first].since if first else None,
            is_late,
            last.until,
        )
        if opening + sum((one.amount for one in lines), _ZERO) != found.closing:
            raise Unbalanced
        return found


def _owed(reading: Balance) -> Decimal:
    return (reading.total or _ZERO) - reading.paid


def _choose_readings(
    readings: Sequence[Balance], present: Balance, journal: Sequence[Recorded]
) -> list[Balance]:
    """Return the readings before the present one, in order of time.

    The exact time of a reading by a portfolio update is not known. Leave such a reading out if
    another reading or a repayment was made during the update.
    """
    exact = [one.until for one in readings if one.since == one.until]
    times = [*exact, *(one.sent_at for one in journal)]
    found = [
        one
        for one in readings
        if one.until <= present.since
        and (one.since == one.until or not any(one.since <= at <= one.until for at in times))
    ]
    return sorted(found, key=lambda one: one.until)


def _find_last(earlier: Sequence[Balance], present: Balance, until: datetime | None) -> Balance:
    """Return the reading with which the statement ends: the last reading before `until`."""
    if until is None or until > present.until:
        return present
    for one in reversed(earlier):
        if one.until < until and one.total is not None:
            return one
    raise NoReading


def _find_first(steps: Sequence[Balance], since: datetime | None) -> tuple[int, bool]:
    """Return the position of the reading with which the statement begins.

    The second value is True if the reading is later than the beginning of the period. The first
    step is the beginning of the loan.
    """
    if since is None or since <= steps[0].since:
        return 0, False
    known = [place for place, one in enumerate(steps) if place and one.total is not None]
    before = [place for place in known if steps[place].until <= since]
    if before:
        return before[-1], False
    if not known:
        raise NoReading
    return known[0], True


def _list_charges(
    steps: Sequence[Balance], parts: Sequence[tuple[LineKind, Decimal]], began_at: datetime | None
) -> list[Line]:
    """Return the lines of the principal and the charges.

    If the statement begins with the loan, the lines are the parts that the service gives, or else
    one line. If it begins with a later reading (`began_at` is None), the lines are the changes of
    the total between two readings.
    """
    known = [one for one in steps if one.total is not None]
    total = known[-1].total or _ZERO
    if began_at and parts:
        dated = {LineKind.PRINCIPAL: began_at}
        return [Line(kind, amount, dated.get(kind)) for kind, amount in parts if amount]
    if began_at:
        return [Line(LineKind.CHARGED, total, None, known[-1].until)] if total else []
    changes = (
        (one, other, (other.total or _ZERO) - (one.total or _ZERO))
        for one, other in pairwise(known)
    )
    return [
        Line(LineKind.ADDED if change > 0 else LineKind.REDUCED, change, one.since, other.until)
        for one, other, change in changes
        if change
    ]


class _Pending:
    """A repayment that `paid` does not show completely.

    `left` is the part that is not shown yet.
    """

    def __init__(self, one: Recorded) -> None:
        self.one, self.left = one, one.amount


def _list_payments(steps: Sequence[Balance], first: int, journal: Sequence[Recorded]) -> list[Line]:
    """Return the lines of repayments, and of changes without a repayment, from step `first` on.

    The readings are compared from the beginning of the loan, because a repayment may show in `paid`
    only after the reading with which the statement begins.
    """
    pending: list[_Pending] = []
    queue = deque(journal)
    lines: list[Line] = []
    # `clean` is the last reading at which `paid` certainly showed all repayments. Before `unsure`,
    # this is not certain: a larger rise than the repayments may have been another payment alone.
    clean = unsure = steps[0].since
    for place, (before, after) in enumerate(pairwise(steps)):
        # A repayment that this reading does not show, and never will.
        expired = [
            one
            for one in pending
            if not one.one.is_late and before.since - one.one.sent_at >= SHOWS_WITHIN
        ]
        pending = [one for one in pending if one not in expired]
        lines += [_write_uncounted(one, before.until) for one in expired]
        if place == first:
            lines = [_write_repayment(one.one, one.left) for one in pending]
        if not pending and before.since >= unsure:
            clean = before.since
        while queue and queue[0].sent_at <= after.until:
            pending.append(_Pending(queue.popleft()))
            lines.append(_write_repayment(pending[-1].one, pending[-1].left))
        newest = max((one.one.sent_at for one in pending), default=None)
        rise = after.paid - before.paid
        if rise < 0:
            lines.append(Line(LineKind.FELL, -rise, before.since, after.until))
        for one in pending:
            shown = min(max(rise, _ZERO), one.left)
            one.left -= shown
            rise -= shown
        if rise > 0:
            lines.append(Line(LineKind.OTHER, -rise, clean, after.until))
            unsure = newest + SHOWS_WITHIN if newest else unsure
        pending = [one for one in pending if one.left]
    if first == len(steps) - 1:
        return []
    return lines + [_write_uncounted(one, steps[-1].until) for one in pending]


def _write_repayment(one: Recorded, amount: Decimal) -> Line:
    return Line(LineKind.REPAYMENT, -amount, one.sent_at, key=one.key)


def _write_uncounted(one: _Pending, until: datetime) -> Line:
    return Line(LineKind.UNCOUNTED, one.left, one.one.sent_at, until, one.one.key)
