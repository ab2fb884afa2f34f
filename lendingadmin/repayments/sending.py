"""Sending one committed intent to the service, once.

The order is the guarantee: intent committed, baseline read, `sent` committed, then the socket.
Nothing here repeats a call; what can't be told apart from success stays unknown.
"""

import logging
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin import gateway
from lendingadmin.lending import issuer
from lendingadmin.lending.calls import Call
from lendingadmin.lending.errors import (
    InvalidId,
    LendingError,
    NotSent,
    Saved,
    Throttled,
    Unreachable,
)
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import loan_facts
from lendingadmin.lending.values import Loan
from lendingadmin.staff.models import User
from lendingadmin.ui import errors
from lendingadmin.ui.errors import Card
from lendingadmin.ui.unavailable import (
    UNAVAILABLE,
    build_not_sent_card,
    build_saved_card,
    build_unknown_card,
    keep_outcome,
)
from lendingadmin.writes.unconfirmed import next_delay

from . import services
from .models import Reading, Repayment
from .states import RepaymentState

logger = logging.getLogger(__name__)


def record(
    request: services.Request,
    by: User,
    idempotency_key: str,
    *,
    agreed: bool = True,
    approved_by: User | None = None,
) -> Repayment:
    """Commit the intent and send it; the row that comes back says what is known.

    The same `idempotency_key` gives the first one back and sends nothing. What needs a second
    person is not sent either: it waits, with a reading of the loan as it stood, unless it was
    `approved_by` one already, as a row of a batch. Nothing is sent
    when it raises services.DuplicateExternalId, services.LoanBusy or services.NobodyToApprove, or
    services.MayDouble because the person has not `agreed` that it may double an abandoned one.
    Raises OutcomeNotKept when the database does not keep what became of it; any other fault of the
    database comes before the call.
    """
    repayment, is_new = services.create_intent(
        request, by, idempotency_key, agreed=agreed, approved_by=approved_by
    )
    if is_new and repayment.state == RepaymentState.AWAITING:
        read(repayment, Reading.Kind.ENTERED)
    elif is_new:
        send(repayment, by)
    return repayment


def approve(repayment: Repayment, by: User, *, agreed: bool = True) -> bool:
    """Let it go as `services.approve` does, and send it, once; say whether it was let go."""
    is_approved = services.approve(repayment, by, agreed=agreed)
    if is_approved:
        send(repayment, by)
    return is_approved


def send(repayment: Repayment, by: User) -> None:
    """Send a `pending` intent. Never raises for what the service does: the row's state tells."""
    if not take_baseline(repayment, by):
        return
    if not services.move(repayment, RepaymentState.SENT, by=by, sent_at=timezone.now()):
        return  # It expired meanwhile, and the sweep that saw it has written so.
    begun = False

    def begin() -> None:
        nonlocal begun
        check_deadline(repayment)
        begun = True

    try:
        with gateway.calls() as made:
            gateway.app(repayment.app_id).loans.make_repayment(
                repayment.account_id, repayment.body(), before_send=begin
            )
    except LendingError as error:
        apply_error(repayment, error, by)
    except Exception as error:
        logger.exception("%s: sending failed", repayment)
        why = _("a fault of the dashboard: %(error)s") % {"error": type(error).__name__}
        # Once the socket may have been written, the truth is "unknown".
        to = RepaymentState.UNKNOWN if begun else RepaymentState.NOT_SENT
        card = build_unknown_card("recorded") if begun else build_not_sent_card("recorded")
        _move(repayment, to, by, card, why=why)
    else:
        apply_answer(repayment, by, made[-1])


def _move(
    repayment: Repayment, to: RepaymentState, by: User | None, card: Card, **fields: Any
) -> None:
    """Move the row by what the service made of it; `card` tells it where that can't be kept."""
    is_unknown = to == RepaymentState.UNKNOWN
    fields["next_check_at"] = timezone.now() + next_delay(0, timedelta(0)) if is_unknown else None

    def keep() -> None:
        if is_unknown:
            services.move(repayment, to, by=by, **fields)
        else:
            services.refuse(repayment, to, by, **fields)

    keep_outcome(keep, replace(card, reference=_reference(repayment, fields.get("request_id", ""))))


def _reference(repayment: Repayment, request_id: str) -> str:
    return " · ".join(filter(None, (str(repayment), request_id)))


def check_deadline(repayment: Repayment) -> None:
    """Called right before the first byte: who was paused past the deadline sends nothing."""
    if timezone.now() >= repayment.send_before:
        raise NotSent("the time in which this had to be sent is over")


def take_baseline(repayment: Repayment, by: User) -> bool:
    """Read the loan before sending; without a reading of the same loan nothing is sent."""
    reading = read(repayment, Reading.Kind.BASELINE)
    if not reading.fault:
        return True
    why = _("The loan could not be read before sending: %(fault)s") % {"fault": reading.fault}
    services.move(repayment, RepaymentState.NOT_SENT, by=by, why=why)
    return False


def read(repayment: Repayment, kind: str, fresh: Loan | None = None) -> Reading:
    """Read the loan now and keep what its balances say; a fault is kept as its sentence.

    An answer that does not speak of this loan is a fault: its balances are evidence of nothing.
    `fresh` is the loan where the caller has read it this very moment.
    """
    loan, fault = fresh, ""
    try:
        loan = loan or gateway.app(repayment.app_id).loans.get(repayment.account_id)
        check_named(loan, repayment.account_id)
    except LendingError as error:
        loan, fault = None, error.message
    now = timezone.now()
    facts = loan_facts(loan, now) if loan else None
    return repayment.readings.create(
        kind=kind,
        taken_at=now,
        paid=_written(facts.paid) if facts else "",
        unpaid=_written(facts.owed) if facts else "",
        next_amount=_written(facts.next_amount) if facts else "",
        next_due=facts.next_due.isoformat() if facts and facts.next_due else "",
        fault=fault,
    )


def _written(amount: Decimal | None) -> str:
    """The amount to the last digit; empty for none, and for one of more digits than money has."""
    digits = "" if amount is None else f"{amount:f}"
    return digits if len(digits) <= Reading.LONGEST_AMOUNT else ""


def apply_answer(repayment: Repayment, by: User, call: Call) -> None:
    """A 2xx with the same loan came: recorded."""
    request_id = call.request_id or ""
    # Due until the effect was read: if the sender dies here, the next check reads it.
    fields = {"status": call.status, "request_id": request_id, "next_check_at": timezone.now()}
    keep_outcome(
        lambda: services.acknowledge(repayment, by, **fields),
        replace(
            build_saved_card("recorded"),
            next=_("Do not enter it again. Note the reference, and pass it on to a manager."),
            reference=_reference(repayment, request_id),
        ),
    )
    try:
        see_effect(repayment)
    except UNAVAILABLE:
        logger.warning("%s: its effect could not be kept, and is due to be read", repayment)


def see_effect(repayment: Repayment, fresh: Loan | None = None) -> None:
    """Read what an acknowledged repayment did; a fault leaves that to be done again, for a day."""
    if not read(repayment, Reading.Kind.AFTER, fresh).fault:
        seen = Repayment.objects.filter(pk=repayment.pk, state=RepaymentState.RECORDED)
        if seen.update(next_check_at=None):
            repayment.next_check_at = None


def apply_error(repayment: Repayment, error: LendingError, by: User) -> None:
    """No readable 2xx came: refused, not sent or unknown, by what the error says was saved."""
    was_held_back = isinstance(error, Unreachable | Throttled | NotSent | InvalidId)
    not_sent = was_held_back or error.operation == issuer.OPERATION
    to, card = RepaymentState.NOT_SENT if not_sent else RepaymentState.REFUSED, errors.card(error)
    if error.saved == Saved.UNKNOWN:
        to, card = RepaymentState.UNKNOWN, build_unknown_card("recorded")
    _move(
        repayment,
        to,
        by,
        card,
        why=error.message,
        status=error.status,
        error_description=error.error_description or "",
        request_id=error.request_id or "",
    )
