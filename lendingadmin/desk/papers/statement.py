"""The lines of a statement of account, from the journal and from readings of a loan's balances.

The lending service gives no list of transactions, only the present balances (spec: LoanBalances).
This dashboard knows the repayments that it recorded, and the balances that it read at certain
times. Between two readings, the rise of `paid` is compared with the recorded repayments. A rest
that no repayment explains becomes a line of its own, with the times between which it appeared.

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

# After this time `paid` shows an acknowledged repayment, or will never show it.
SHOWS_WITHIN = timedelta(hours=24)
# A billion amounts of forty digits that differ by forty places still add exactly.
_EXACT = Context(prec=150)
_ZERO = Decimal(0)


class LineKind(StrEnum):
    """The kind of a line."""

    PRINCIPAL = "principal"
    INTEREST = "interest"
    FEES = "fees"
    PENALTY = "penalty"
    # Everything that was charged, where the service or an old reading does not give the parts.
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

    `paid` is the amount paid in total. `total` is everything that was charged, principal included;
    None if it could not be read.
    """

    since: datetime
    until: datetime
    paid: Decimal
    total: Decimal | None


class Recorded(NamedTuple):
    """A recorded repayment. `key` is the number of its row.

    `is_late` is True if its effect may show at any time, because a person decided about it.
    """

    key: int
    sent_at: datetime
    amount: Decimal
    is_late: bool = False


class Line(NamedTuple):
    """A line of the statement. `key` is the number of the repayment's row."""

    kind: LineKind
    amount: Decimal
    since: datetime | None = None
    until: datetime | None = None
    key: int | None = None


class Statement(NamedTuple):
    """A statement of one loan, whose lines lead from `opening` to `closing`.

    `begins` is the time of the reading with which it begins; None if it begins with the loan.
    `is_late` is True if no reading is as old as the requested period. `ends` is the time of the
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
    """Error: the lines do not lead to the closing balance. Such a statement is never shown."""


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

    `parts` are the parts of the present total, as the service gives them; empty if it does not give
    them all. `since` and `until` bound the period; None means the loan's beginning and the
    present. Raise NoReading if the period has no reading with which the statement could end.
    """
    with localcontext(_EXACT):
        journal = sorted(repayments, key=lambda one: one.sent_at)
        earlier = _choose_readings(readings, present, journal)
        last = _find_last(earlier, present, until)
        read = [one for one in earlier if one.until <= last.until]
        read += [present] if last is present else []
        # A loan may have a reading or a repayment from before the day on which it begins.
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

    The exact time of a reading by the portfolio's update is not known. Such a reading is left out
    if anything else happened to the loan within the time of the update.
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
    """Return the reading with which the statement ends: the last one before `until`."""
    if until is None or until > present.until:
        return present
    for one in reversed(earlier):
        if one.until < until and one.total is not None:
            return one
    raise NoReading


def _find_first(steps: Sequence[Balance], since: datetime | None) -> tuple[int, bool]:
    """Return the place of the reading with which the statement begins.

    The second value is True if the reading is younger than the period. The beginning of the loan
    is the first step.
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
    """Return the lines of what was lent and charged.

    From the beginning of the loan, these are the parts that the service gives, or else one line.
    From a later reading, where `began_at` is None, these are the changes of the total, each between
    two readings.
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
    """A repayment of which `paid` does not show `left` yet."""

    def __init__(self, one: Recorded) -> None:
        self.one, self.left = one, one.amount


def _list_payments(steps: Sequence[Balance], first: int, journal: Sequence[Recorded]) -> list[Line]:
    """Return the lines of repayments and of what they do not explain, from the step `first` on.

    The readings are compared from the beginning of the loan, because a repayment may show in `paid`
    only after the reading with which the statement begins.
    """
    pending: list[_Pending] = []
    queue = deque(journal)
    lines: list[Line] = []
    # The last reading at which `paid` certainly showed all repayments. Until `unsure`, a rise that
    # was larger than the repayments may have been another payment in full.
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
