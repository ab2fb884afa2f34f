"""Sending of committed intents to the service, each at most once.

The order of the steps guarantees this: commit the intents, read the baselines, commit `sent`, and
only then use the connections. Repayments of different loans may take these steps together. Only the
calls run in parallel, on threads that use neither rows nor the database. This module never repeats
a call. If a call may have succeeded, the result is unknown.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.audit import restores
from lendingadmin.core.staff.models import User
from lendingadmin.lending import tokens
from lendingadmin.lending.errors import (
    InvalidId,
    LendingError,
    NotSent,
    Saved,
    Throttled,
    Unreachable,
)
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import find_next, total_of
from lendingadmin.lending.parallel import Written, read_in_parallel, write_in_parallel
from lendingadmin.lending.values import Loan
from lendingadmin.money.writes.unconfirmed import next_delay
from lendingadmin.web import errors
from lendingadmin.web.errors import Card
from lendingadmin.web.unavailable import (
    UNAVAILABLE,
    OutcomeNotKept,
    build_not_sent_card,
    build_saved_card,
    build_unknown_card,
    keep_outcome,
)

from . import services
from .approvals import Approval
from .models import Reading, Repayment
from .states import RepaymentState

logger = logging.getLogger(__name__)

# The advice for a person if the service recorded a repayment, but the dashboard can't save this.
PASS_ON = gettext_noop(
    "Do not enter this repayment again. Write down the reference and give it to a manager."
)


class Outcome(NamedTuple):
    """The result of a sent repayment. `card` describes the result if it can't be saved."""

    move: services.Move
    card: Card


def record(
    request: services.Request,
    by: User,
    idempotency_key: str,
    *,
    agreed: bool = False,
    checked: bool = False,
    approval: Approval | None = None,
) -> Repayment:
    """Commit an intent and send it; return the row with its present state.

    If the `idempotency_key` was used before, return the first row and send nothing. An intent that
    needs a second person and has no `approval` is not sent. It waits, with a reading of the loan's
    balances at that time. Rows of a batch have the approval of the batch.

    If an error of `services.create_intent` is raised, nothing was sent. Raise OutcomeNotKept if the
    database can't save the result. Any other fault of the database happens before the call.
    """
    repayment, is_new = services.create_intent(
        request, by, idempotency_key, agreed=agreed, checked=checked, approval=approval
    )
    if is_new:
        _send_new([repayment], by)
    return repayment


def record_all(
    intents: Sequence[services.Intent], by: User, *, approval: Approval | None = None
) -> list[Repayment | services.IntentRefused]:
    """Record intents of different loans of one app together. Each is handled as in `record`.

    If a rule refuses an intent, the exception is returned in its place.
    """
    if not intents:
        return []
    created = services.create_intents(intents, by, approval=approval)
    found = [one if isinstance(one, services.IntentRefused) else one[0] for one in created]
    _send_new([one[0] for one in created if isinstance(one, tuple) and one[1]], by)
    return found


def _send_new(repayments: Sequence[Repayment], by: User) -> None:
    """Send the pending repayments. Read the loans of those that wait for a second person."""
    waiting = [one for one in repayments if one.state == RepaymentState.AWAITING]
    if waiting:
        Reading.objects.bulk_create(take_readings(waiting, Reading.Kind.ENTERED))
    send_all([one for one in repayments if one.state == RepaymentState.PENDING], by)


def approve(repayment: Repayment, by: User, *, agreed: bool = False, checked: bool = False) -> bool:
    """Approve a repayment as `services.approve` does, then send it once.

    Return True if this approved the repayment.
    """
    is_approved = services.approve(repayment, by, agreed=agreed, checked=checked)
    if is_approved:
        send_all([repayment], by)
    return is_approved


def send_all(repayments: Sequence[Repayment], by: User) -> None:
    """Send `pending` intents, and save the result of each as its state.

    Errors of the service are saved and not raised. A repayment is not sent without a reading of its
    loan.
    """
    if not repayments:
        return
    baselines = take_readings(repayments, Reading.Kind.BASELINE)
    moves = []
    for repayment, baseline in zip(repayments, baselines, strict=True):
        move = services.Move(repayment, RepaymentState.SENT, {"sent_at": timezone.now()})
        if baseline.fault:
            words = gettext_noop("The dashboard could not read the loan before sending: %(fault)s")
            why = words % {"fault": baseline.fault}
            move = services.Move(repayment, RepaymentState.NOT_SENT, {"why": why})
        moves.append(move)
    moved = services.move_all(moves, by=by, readings=baselines)
    # A row that did not move has expired, and a sweep has already saved its new state.
    sent = [
        one.repayment
        for one, is_moved in zip(moves, moved, strict=True)
        if is_moved and one.to == RepaymentState.SENT
    ]
    if sent:
        restores.note_sent()
        apply_outcomes(_call(sent), by)


def _call(repayments: Sequence[Repayment]) -> list[Outcome]:
    """Ask the service in parallel to record the `sent` repayments, and return the outcomes."""
    begun: set[int] = set()

    def begin(repayment: Repayment) -> None:
        check_deadline(repayment)
        begun.add(repayment.pk)

    calls = [
        partial(
            gateway.app(one.app_id).loans.make_repayment,
            one.account_id,
            one.body(),
            before_send=partial(begin, one),
        )
        for one in repayments
    ]
    written = write_in_parallel(gateway.client(), *calls)
    return [
        judge(repayment, one, has_begun=repayment.pk in begun)
        for repayment, one in zip(repayments, written, strict=True)
    ]


def check_deadline(repayment: Repayment) -> None:
    """Raise NotSent if the deadline has passed.

    The client calls this right before it sends the first byte, because the process may have been
    paused.
    """
    if timezone.now() >= repayment.send_before:
        raise NotSent("the time limit for sending is over")


def judge(repayment: Repayment, written: Written, *, has_begun: bool = True) -> Outcome:
    """Return the outcome of a sent repayment from the result of its call.

    A 2xx with the same loan means recorded. After an error, the outcome is refused, not sent or
    unknown, depending on the error's `saved`. After a fault of the dashboard, the outcome is
    unknown if a byte may have been sent, and otherwise not sent.
    """
    result, call = written
    fields: dict[str, object]
    if isinstance(result, LendingError):
        to, card = _judge_error(result)
        fields = {"why": result.message, "status": result.status}
        fields["error_description"] = result.error_description or ""
        request_id = result.request_id or ""
    elif isinstance(result, Exception):
        logger.error("%s: sending failed", repayment, exc_info=result)
        to, card = RepaymentState.NOT_SENT, build_not_sent_card("recorded")
        if has_begun:
            to, card = RepaymentState.UNKNOWN, build_unknown_card("recorded")
        words = gettext_noop("The dashboard had a fault: %(error)s")
        fields, request_id = {"why": words % {"error": type(result).__name__}}, ""
    else:
        card = replace(build_saved_card("recorded"), next=_(PASS_ON))
        to = RepaymentState.RECORDED
        fields, request_id = {"status": call and call.status}, (call and call.request_id) or ""
    next_check_at = None
    if to == RepaymentState.RECORDED:
        # A check is due until the effect is read. If the sender dies here, the next check reads the
        # effect.
        next_check_at = timezone.now()
    elif to == RepaymentState.UNKNOWN:
        next_check_at = timezone.now() + next_delay(0, timedelta(0))
    fields |= {"request_id": request_id, "next_check_at": next_check_at}
    reference = " · ".join(filter(None, (str(repayment), request_id)))
    return Outcome(services.Move(repayment, to, fields), replace(card, reference=reference))


def _judge_error(error: LendingError) -> tuple[RepaymentState, Card]:
    """Return the state and the card for an error, depending on the error's `saved`."""
    if error.saved == Saved.UNKNOWN:
        return RepaymentState.UNKNOWN, build_unknown_card("recorded")
    was_held_back = isinstance(error, Unreachable | Throttled | NotSent | InvalidId)
    is_not_sent = was_held_back or error.operation == tokens.OPERATION
    to = RepaymentState.NOT_SENT if is_not_sent else RepaymentState.REFUSED
    return to, errors.card(error)


def apply_outcomes(outcomes: Sequence[Outcome], by: User) -> None:
    """Save the outcomes of sent repayments, then read the effects of the recorded repayments.

    Save all outcomes together. If this fails, save each outcome alone, so that none blocks another.
    If an outcome still can't be saved, raise its fault.
    """
    moves, card = [one.move for one in outcomes], outcomes[0].card
    if len(outcomes) > 1:
        references = " · ".join(one.card.reference for one in outcomes)
        card = replace(build_unknown_card("recorded"), reference=references)
    try:
        keep_outcome(lambda: services.conclude_all(moves, by=by), card)
    except Exception as error:
        if len(outcomes) == 1 or isinstance(error, OutcomeNotKept):
            raise
        logger.exception("outcomes could not be saved together")
        _apply_each(outcomes, by)
        return
    try:
        see_effects([one.repayment for one in moves if one.to == RepaymentState.RECORDED])
    except UNAVAILABLE:
        logger.warning("effects could not be saved and will be read later: %s", card.reference)


def _apply_each(outcomes: Sequence[Outcome], by: User) -> None:
    """Save each outcome separately; raise the first fault after all others are saved."""
    failed = []
    for one in outcomes:
        try:
            apply_outcomes([one], by)
        except Exception as error:
            failed.append(error)
    if failed:
        raise failed[0]


def see_effects(repayments: Sequence[Repayment], fresh: Loan | None = None) -> None:
    """Read the effects of acknowledged repayments; after a fault, the next check tries again.

    Checks try again for a day. `fresh` is the loan of a single repayment, if the caller has just
    read it.
    """
    if not repayments:
        return
    readings = take_readings(repayments, Reading.Kind.AFTER, fresh)
    seen = [one.repayment for one in readings if not one.fault]
    with transaction.atomic():
        Reading.objects.bulk_create(readings)
        rows = Repayment.objects.filter(pk__in=[one.pk for one in seen])
        rows.filter(state=RepaymentState.RECORDED).update(next_check_at=None)
    for one in seen:
        one.next_check_at = None


def save_reading(repayment: Repayment, kind: str, fresh: Loan | None = None) -> Reading:
    """Read the loan of a repayment, and save and return the reading. See `take_readings`."""
    [reading] = take_readings([repayment], kind, fresh)
    reading.save()
    return reading


def take_readings(
    repayments: Sequence[Repayment], kind: str, fresh: Loan | None = None
) -> list[Reading]:
    """Read the loans of these repayments in parallel; return the unsaved readings.

    A failed read gives a reading with the fault as a sentence. An answer that does not name the
    loan is a fault, because its balances are not evidence. `fresh` is the loan of a single
    repayment if the caller has just read it.
    """
    if fresh is not None:
        return [_build_reading(one, kind, fresh, timezone.now()) for one in repayments]

    def get(repayment: Repayment) -> tuple[Loan, datetime]:
        loan = gateway.app(repayment.app_id).loans.get(repayment.account_id)
        return loan, timezone.now()

    found = read_in_parallel(gateway.client(), *(partial(get, one) for one in repayments))
    return [
        _build_reading(one, kind, result, timezone.now())
        if isinstance(result, LendingError)
        else _build_reading(one, kind, *result)
        for one, result in zip(repayments, found, strict=True)
    ]


def _build_reading(
    repayment: Repayment, kind: str, result: Loan | LendingError, taken_at: datetime
) -> Reading:
    reading = Reading(repayment=repayment, kind=kind, taken_at=taken_at)
    try:
        if isinstance(result, LendingError):
            raise result
        loan = check_named(result, repayment.account_id)
    except LendingError as error:
        reading.fault = error.message
        return reading
    next_due, next_amount = find_next(loan, taken_at)
    reading.paid = _written(total_of(loan, "paid"))
    reading.unpaid = _written(total_of(loan, "unpaid"))
    reading.overdue = _written(total_of(loan, "overdue"))
    reading.next_amount = _written(next_amount)
    reading.next_due = next_due.isoformat() if next_due else ""
    return reading


def _written(amount: Decimal | None) -> str:
    """Return the amount as text with all digits; empty for None or too many digits."""
    digits = "" if amount is None else f"{amount:f}"
    return digits if len(digits) <= Reading.LONGEST_AMOUNT else ""
