"""The dry run: find the loan of each payment, and the reasons against recording it.

The worker reads several loans in parallel and saves its findings one page of lines at a time. If a
worker dies, its page is checked again.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from datetime import datetime, time, timedelta, tzinfo
from decimal import Decimal
from time import monotonic

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.worker.walks import SLICE, find_pause
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import LendingError
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.money.repayments.lookalikes import look_alikes
from lendingadmin.money.repayments.managers import IN_PERSON
from lendingadmin.money.repayments.models import LONGEST_ID, Repayment, normalise_external_id
from lendingadmin.money.repayments.services import Request, find_abandoned, find_forgotten_until
from lendingadmin.money.repayments.states import OPEN, RESENDABLE, RepaymentState

from . import batches, matching, places, standings
from .findings import (
    EXACT,
    NO_REASON,
    OF_STANDING,
    OPEN_QUESTIONS,
    Basis,
    Decision,
    Finding,
    find_of_loan,
)
from .lines import MAPPED, Kind, Standing
from .matching import Match
from .models import Allocation, Batch, StatementFile, StatementLine
from .rows import read_about

# Lines that are read together: two for each thread.
_PAGE = 24
# Layouts that may hold payments of any channel.
BANKS = ("camt-053", "mt940", "bank-account", MAPPED)
# The journal's amounts have twelve digits before the point.
_LEAST_TOO_MUCH = Decimal(10) ** 12

State = Batch.State


def run_slice(batch_id: int) -> timedelta | None:
    """Check lines for some seconds, and return the wait before the next slice; None at the end."""
    rows = Batch.objects.select_related("file", "created_by")
    batch = rows.filter(pk=batch_id, state=State.CHECKING).first()
    until = monotonic() + SLICE
    while batch is not None:
        payments = StatementLine.objects.filter(file=batch.file, kind=Kind.PAYMENT)
        lines = list(payments.filter(position__gt=batch.checked).order_by("position")[:_PAGE])
        if not lines:
            batches.advance(batch, State.READY)
            return None
        try:
            checked = check_lines(batch, lines)
        except LendingError as error:
            return _pause(batch, error)
        with transaction.atomic():
            last = lines[-1].position
            if not batches.advance(batch, State.CHECKING, checked=last):
                return None
            new = [row for row in checked if row.pk is None]
            for row in checked:
                if row.pk is not None:
                    row.save()
            Allocation.objects.bulk_create(new)
        if monotonic() > until:
            return timedelta(0)
    return None


def check_lines(batch: Batch, lines: Sequence[StatementLine]) -> list[Allocation]:
    """Check these lines, and return their unsaved allocations. Raise LendingError."""
    known: dict[int, list[Allocation]] = {}
    saved = batch.allocations.filter(position__in=[line.position for line in lines])
    for row in saved.select_related("line", "repayment").order_by("position", "part"):
        row.batch = batch
        known.setdefault(row.position, []).append(row)
    stopped = _find_stopped(batch, lines)
    rows, new = [], []
    for line in lines:
        against = stopped.get(line.position)
        fresh = Allocation(
            batch=batch,
            line=line,
            position=line.position,
            amount=line.amount or Decimal(0),
            finding=Finding.NO_LOAN,
        )
        for row in known.get(line.position) or [fresh]:
            if row.repayment is not None:
                # An entered row is checked again only if the service did not record the repayment.
                # The row is then entered with another idempotency key.
                if row.repayment.state not in RESENDABLE:
                    continue
                row.repayment, row.attempt = None, row.attempt + 1
            rows.append(row)
            if against:
                row.finding = against
                _decide(row)
            else:
                new.append(row)
    _check_loans(batch, new)
    return rows


def _judge(
    file: StatementFile, lines: Sequence[StatementLine], but: Collection[str]
) -> dict[int, Standing]:
    """Return the standing of each of these lines in the journal, by position.

    Ignore repayments whose idempotency keys are in `but`. Also ignore repayments that were not
    found at the service: the later check of the loan covers them (Finding.MAY_DOUBLE).
    """
    only = ~Q(state=RepaymentState.NOT_FOUND) & ~Q(idempotency_key__in=but)
    judged = standings.judge_lines(file, [line.position for line in lines], only)
    return {row.position: standing for row, standing in judged}


def check_again(row: Allocation) -> None:
    """Check one row with its current loan, and save it as undecided. Raise LendingError."""
    line, batch = row.line, row.batch
    if against := _find_stopped(batch, [line]).get(row.position):
        row.finding = against
    else:
        _check_loans(batch, [row])
    row.decision = Decision.OPEN
    row.save()


def list_reopened(batch: Batch, rows: Sequence[Allocation]) -> list[Allocation]:
    """Return copies of a batch's accepted rows that people must decide again.

    The finding of each copy is the reason: a repayment or a decision blocks the row, or the loan
    has changed. The loans are read only if the batch was approved. A loan that can't be read is
    ignored, because the recording will show the fault.
    """
    file, lines = batch.file, [row.line for row in rows]
    # An earlier worker may have entered these rows, so their own repayments are ignored.
    own = {row.idempotency_key for row in rows}
    questions = find_open_questions(file, lines, but=own)
    stopped = _find_stopped(batch, lines, but=own)
    until = find_forgotten_until(file.app_id)
    pairs = [(row, copy(row)) for row in rows]
    for row, again in pairs:
        against = stopped.get(row.position)
        if against is None and row.finding not in OPEN_QUESTIONS:
            against = questions.get(row.position)
        # OPEN repayments are ignored here, because the row waits for an open repayment of its loan
        # anyway.
        if against is None and row.finding in NO_REASON and list_alike(row, but=OPEN):
            against = Finding.ALIKE
        again.finding = against or row.finding
    if batch.approved_by is not None:
        same = [again for row, again in pairs if again.finding == row.finding]
        for row, one in zip(same, _match(batch, same), strict=True):
            if not one.fault:
                _apply(row, one, {}, row.position, until, questions.get(row.position))
    for row, again in pairs:
        # A check from before a restore does not show what was recorded after the backup, even if
        # the gap is closed.
        if again.finding == row.finding and may_be_forgotten(row, until):
            again.finding = Finding.MAY_DOUBLE
    return [again for row, again in pairs if again.finding != row.finding]


def _find_stopped(
    batch: Batch, lines: Sequence[StatementLine], *, but: Collection[str] = ()
) -> dict[int, Finding]:
    """Return the findings that do not depend on the payment's loan, by position.

    If a payment is split, a repayment with its id is not a finding, because it may be another part.
    """
    file, judged = batch.file, _judge(batch.file, lines, but)
    parts = batch.allocations.filter(position__in=judged, part__gt=1)
    split = set(parts.values_list("position", flat=True))
    keys = [line.receipt_key for line in lines]
    put = places.find_put(file.app_id, keys)
    taken_back = places.find_taken_back(file.app_id, keys)
    found = {}
    for line in lines:
        # True if the journal can store its date and its amount.
        has_both = line.moment is not None and line.amount is not None
        is_usable = has_both and (line.amount or 0) < _LEAST_TOO_MUCH
        against = OF_STANDING.get(judged[line.position])
        if against is None and not is_usable:
            against = Finding.UNUSABLE
        if line.position in split and against in (Finding.RECORDED, Finding.WAITING):
            against = None
        if against is None and line.receipt_key:
            if line.receipt_key in taken_back:
                against = Finding.TAKEN_BACK
            elif line.receipt_key in put:
                against = Finding.PUT
        if against:
            found[line.position] = against
    return found


def find_open_questions(
    file: StatementFile, lines: Sequence[StatementLine], *, but: Collection[str] = ()
) -> dict[int, Finding]:
    """Return the findings of OPEN_QUESTIONS for these payments, by position."""
    of_bank = [line for line in lines if line.bank_key]
    judged = _judge(file, of_bank, but) if of_bank else {}
    found = {at: Finding.SAME_REFERENCE for at, x in judged.items() if x == Standing.SAME_REFERENCE}
    reversed_ = dict.fromkeys(places.find_maybe_reversed(file, lines), Finding.MAY_REVERSED)
    return found | reversed_


def build_request(row: Allocation) -> Request:
    """Return the repayment to record (spec: MakeRepayment). Raise ValueError without a date."""
    line, file = row.line, row.batch.file
    if line.moment is None:
        raise ValueError("a payment without a date is not recorded")
    moment = find_moment(line, line.moment, lending_app(file.app_id).zone)
    return Request(
        app_id=file.app_id,
        account_id=row.account_id,
        borrower_id=row.borrower_id,
        external_id=line.receipt,
        amount=row.amount,
        transaction_date=moment,
        value_date=moment,
        channel=IN_PERSON if file.is_counted_cash else "" if file.layout in BANKS else "mobile",
        network=file.network,
        currency_code=line.currency or file.currency,
        external_id_minted=file.is_counted_cash,
    )


def find_moment(line: StatementLine, moment: datetime, zone: tzinfo) -> datetime:
    """Return the time at which a payment is recorded, in the lender's zone.

    If the line has a day and no time, return noon, because noon is on the same day in every zone
    that a service may use. Never return a time in the future.
    """
    local = moment.astimezone(zone)
    if line.has_time or local.time() != time.min:
        return local
    return min(local.replace(hour=12), timezone.now().astimezone(zone))


def _check_loans(batch: Batch, rows: Sequence[Allocation]) -> None:
    """Find and read the loan of each row; set its finding and decision. Raise LendingError."""
    for row in rows if batch.file.is_counted_cash else ():
        # A row of a collection sheet names its loan, so no other loan is searched.
        if not row.account_id:
            row.account_id, row.basis = read_about(row.line).reference[:LONGEST_ID], Basis.LOAN
    found = _match(batch, rows)
    faults = [one.fault for one in found if one.fault]
    if faults and len(faults) == len(found):
        raise faults[0]
    start = min((row.position for row in rows), default=0)
    taken: dict[str, Decimal] = {}
    until = find_forgotten_until(batch.file.app_id)
    questions = find_open_questions(batch.file, [row.line for row in rows])
    for row, one in zip(rows, found, strict=True):
        _apply(row, one, taken, start, until, questions.get(row.position))
        _decide(row)
        if row.decision == Decision.ACCEPTED:
            taken[row.account_id] = taken.get(row.account_id, Decimal(0)) + row.amount


def _match(batch: Batch, rows: Sequence[Allocation]) -> list[Match]:
    payments = [(read_about(row.line), row.basis, row.account_id) for row in rows]
    return matching.match(batch.file.app_id, batch.created_by, payments, batch.file.layout)


def _apply(
    row: Allocation,
    found: Match,
    taken: Mapping[str, Decimal],
    start: int,
    until: datetime | None,
    open_question: Finding | None,
) -> None:
    """Set the loan that was found, and the finding, on a row.

    `taken` has, by loan, the sum of the accepted rows from position `start` on. A restored journal
    may lack repayments made before `until`; None if the database was never restored.
    `open_question` is a finding that does not depend on the loan.
    """
    row.owed = None
    if found.loan is None:
        row.account_id = row.borrower_id = ""
        row.basis = found.basis
        row.finding = Finding.SEVERAL if found.is_several else Finding.NO_LOAN
        if found.fault:
            row.finding = Finding.UNREAD
        return
    row.account_id = loan_math.account_of(found.loan)[:LONGEST_ID]
    row.borrower_id = loan_math.borrower_of(found.loan)[:LONGEST_ID]
    row.basis = found.basis
    row.owed = loan_math.total_of(found.loan, "unpaid")
    earlier = batches.list_to_do(row.batch).filter(account_id=row.account_id, position__lt=start)
    before = earlier.aggregate(total=Sum("amount"))["total"] or Decimal(0)
    before += taken.get(row.account_id, Decimal(0))
    asked, app = build_request(row), lending_app(row.batch.file.app_id)
    row.finding = find_of_loan(
        row.basis,
        contradiction=found.contradiction,
        open_question=open_question,
        is_closed=bool(explain_closed(found.loan)),
        is_converted=asked.currency_code not in ("", app.currency),
        may_double=may_be_forgotten(row, until)
        or any(
            find_abandoned(app.app_id, None, one).exists()
            for one in {asked.external_id, row.line.bank_key} - {""}
        ),
        is_alike=bool(list_alike(row)),
        is_above=row.owed is not None and before + row.amount > row.owed,
    )


def may_be_forgotten(row: Allocation, until: datetime | None) -> bool:
    """Return True if the row may be recorded although the restored database does not show it.

    `until` is the time of the last restore; None if there was none. Money that came after `until`,
    according to the statement, can't have been recorded before the restore.
    """
    moment = row.line.moment
    if until is None or moment is None:
        return until is not None
    if row.line.has_time:
        return moment <= until
    zone = lending_app(row.batch.file.app_id).zone
    return moment.astimezone(zone).date() <= until.astimezone(zone).date()


def list_alike(row: Allocation, but: Collection[str] = ()) -> list[Repayment]:
    """Return the earlier repayments that may be the same payment.

    Repayments in the states of `but` are ignored. If the id of a similar repayment is on a
    statement, that repayment is another payment. For banks only the same file counts, because
    another file may have the same payment under another id.
    """
    asked = build_request(row)
    alike = [one for one in look_alikes(asked, row.idempotency_key) if one.state not in but]
    own = normalise_external_id(asked.external_id)
    others = {one.external_id_key for one in alike} - {own}
    listed = StatementLine.objects.filter(
        file__app_id=asked.app_id, kind=Kind.PAYMENT, receipt_key__in=others
    )
    file = row.batch.file
    if file.layout in BANKS:
        listed = listed.exclude(~Q(file=file), file__layout__in=BANKS)
    known = set(listed.values_list("receipt_key", flat=True)) if others else set()
    # A repayment with the same id on another loan is another part of the same payment.
    return [one for one in alike if one.external_id_key not in {own, *known}]


def _decide(row: Allocation) -> None:
    """Accept a row that names its loan and has no finding against it, unless it was left out."""
    if row.decision == Decision.LEFT_OUT:
        return
    is_exact = row.finding == Finding.FINE and row.basis in EXACT
    row.decision = Decision.ACCEPTED if is_exact else Decision.OPEN
    row.decided_by = None


def _pause(batch: Batch, error: LendingError) -> timedelta | None:
    """Save a fault of the service on the batch, and return the wait before the next try.

    After the last try, the batch becomes READY, and its remaining rows stay unchecked.
    """
    tries = batch.tries + 1
    pause = find_pause(tries, error)
    to = State.CHECKING if pause else State.READY
    fields = {"tries": tries if pause else 0, "why": error.message}
    return pause if batches.advance(batch, to, **fields) else None
