"""Commands of the repayment table: commit intents, and change their state.

Each transition is a compare-and-swap that must change exactly one row. It is committed before the
call that it guards; `durable=True` refuses an outer transaction. Several repayments may share a
transaction. A single repayment is a group of one.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core import audit
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.audit.restores import refuse_suspected
from lendingadmin.core.encryption import bind
from lendingadmin.core.english import in_english
from lendingadmin.core.staff.independence import check_independent
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import unconfirmed
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.keyset import count_each, unindexed
from lendingadmin.web.navigation import Badge

from . import approvals, receipts
from .attribution import attribution_of
from .evidence import Effect
from .models import Reading, Repayment, Restoration, normalise_external_id
from .policies import ApprovalLimits, read_limits
from .states import HOLDS_EXTERNAL_ID, NOTHING_SAVED, OPEN, REACHED_FROM, RepaymentState, Resolution

# An intent that is not sent within this time expires, because its sender was paused or has died.
SEND_WITHIN = timedelta(seconds=30)

REFUSED_LATE = _(
    "The service refused this repayment late. In this dashboard its status was “%(state)s”."
)

_TRIES = 3

# In these states only the sender changes the row, so the sender's object equals the stored row.
_SENDERS_OWN = (RepaymentState.PENDING, RepaymentState.SENT)

# When a repayment enters one of these states, the rises of its loan's `paid` are attributed again.
_LANDS = (RepaymentState.RECORDED, RepaymentState.PRESUMED, RepaymentState.RESOLVED)


class IntentRefused(Exception):
    """Error: a rule of the journal refuses an intent, so nothing is saved."""


class DuplicateExternalId(IntentRefused):
    """Error: another repayment of this loan uses the externalId, and is or may be recorded."""

    def __init__(self, other: Repayment) -> None:
        super().__init__(f"externalId is taken by {other}")
        self.other = other


class LoanBusy(IntentRefused):
    """Error: another repayment of this loan is open, and evidence can't distinguish the two."""

    def __init__(self, other: Repayment) -> None:
        super().__init__(f"{other} of this loan is still open")
        self.other = other


class NobodyToApprove(IntentRefused):
    """Error: a repayment needs a second person, but no other person in the app may approve it."""


class MayDouble(IntentRefused):
    """Error: an abandoned attempt has this externalId and may still be posted.

    The person has not agreed to this risk.
    """


class MayBeForgotten(IntentRefused):
    """Error: the database was restored, and the person has not confirmed a check of the service."""


class OwnRepayment(Exception):
    """Error: the person entered this repayment and may not approve, resolve or set it aside."""


@dataclass(frozen=True)
class Request:
    """A person's request for a repayment, with the fields of MakeRepayment (spec: Loans).

    `amount` is in `currency_code`, or in the app's currency if that is empty. Both dates are aware.
    `external_id` is empty for cash, unless this dashboard made the id before
    (`external_id_minted`), as for a row of a collection sheet.
    """

    app_id: str
    account_id: str
    borrower_id: str
    external_id: str
    amount: Decimal
    transaction_date: datetime
    value_date: datetime
    channel: str = ""
    network: str = ""
    currency_code: str = ""
    notes: str = ""
    external_id_minted: bool = False
    retry_of: int | None = None


class Intent(NamedTuple):
    """A request, with its idempotency key and the person's confirmations.

    With `agreed`, the person accepts that an abandoned attempt may be recorded too. With `checked`,
    the person has checked that the service does not have the repayment, because the journal may
    have lost it (restoration.py).
    """

    request: Request
    idempotency_key: str
    agreed: bool = False
    checked: bool = False


class Move(NamedTuple):
    """A transition of a row: the new state, and other columns to change.

    The row must be in one of the states `starts`; None means any state that may change to `to`.
    """

    repayment: Repayment
    to: RepaymentState
    fields: Mapping[str, Any]
    starts: Sequence[RepaymentState] | None = None


def build_request(repayment: Repayment) -> Request:
    """Return the request that the row stores."""
    names = (field.name for field in fields(Request) if field.name != "retry_of")
    kept = {name: getattr(repayment, name) for name in names}
    return Request(**kept, retry_of=repayment.retry_of_id)


def make_external_id(app_id: str, now: datetime) -> str:
    """Return an externalId for a payment that has none, such as cash over the counter.

    The id contains the day in the lender's time zone.
    """
    day = now.astimezone(receipts.find_zone(app_id))
    return f"CASH-{day:%Y%m%d}-{secrets.token_hex(4).upper()}"


def create_intent(
    request: Request,
    by: User,
    idempotency_key: str,
    *,
    agreed: bool = False,
    checked: bool = False,
    approval: approvals.Approval | None = None,
) -> tuple[Repayment, bool]:
    """Commit the intent before anything is sent; return the intent and whether it is new.

    The intent is `pending`, or `awaiting` if it needs a second person and has no `approval`. If the
    `idempotency_key` was used before, return the first intent.

    After each of these errors, nothing is saved. DuplicateExternalId and LoanBusy: another
    repayment of the loan blocks this one. MayDouble: an abandoned attempt may be recorded too, and
    the person has not `agreed` to this. MayBeForgotten: the database was restored, and the person
    has not `checked` the service. NobodyToApprove: no other person may approve. OwnRepayment: the
    approver is `by`. MayBeRestored: the database may have been restored, and no person has
    confirmed or denied this.
    """
    intent = Intent(request, idempotency_key, agreed, checked)
    for _attempt in range(_TRIES):
        try:
            [repayment] = _commit([intent], by, approval)
            return repayment, True
        except IntegrityError:
            # The row that blocked the intent may have changed before this search, so the loop tries
            # again.
            first = explain_refusal(request, idempotency_key)
        if first:
            return first, False
    raise RuntimeError("the intent was refused without a reason")


def create_intents(
    intents: Sequence[Intent], by: User, *, approval: approvals.Approval | None = None
) -> list[tuple[Repayment, bool] | IntentRefused]:
    """Commit intents of one app, as `create_intent` does; return a result or refusal for each.

    Commit the intents together. If a rule blocks one of them, or the database reports a deadlock,
    roll all back and commit each intent alone.
    """

    def create(intent: Intent) -> tuple[Repayment, bool] | IntentRefused:
        ticks = {"agreed": intent.agreed, "checked": intent.checked}
        try:
            return create_intent(
                intent.request, by, intent.idempotency_key, **ticks, approval=approval
            )
        except IntentRefused as refused:
            return refused

    try:
        return [(repayment, True) for repayment in _commit(intents, by, approval)]
    except (DatabaseError, IntentRefused):
        return [create(intent) for intent in intents]


def find_gap(app_id: str) -> Restoration | None:
    """Return the app's open gap after a restore; None if there is none."""
    return list_gaps(app_id).first()


def list_gaps(app_id: str) -> QuerySet[Restoration]:
    """Return the app's open gap after a restore, as a queryset of at most one row."""
    return Restoration.objects.filter(app_id=app_id, ended_at=None)


def find_forgotten_until(app_id: str) -> datetime | None:
    """Return the end of the newest gap. Before this time, the app's journal may lack entries.

    Ended gaps count too. Return None if the app was never restored.
    """
    found = Restoration.objects.filter(app_id=app_id).aggregate(last=Max("until"))
    last: datetime | None = found["last"]
    return last


def find_abandoned(app_id: str, account_id: str | None, external_id: str) -> QuerySet[Repayment]:
    """Return the abandoned attempts with this externalId, on this loan or on any loan.

    `account_id` is None for any loan. Evidence, a sweep, a restore or a person ended these
    attempts. The service never refused them, so each may be recorded there or may still be posted.
    """
    same_id = Q(app_id=app_id, external_id_key=normalise_external_id(external_id))
    if account_id is not None:
        same_id &= Q(account_id=account_id)
    return _filter_abandoned(same_id).order_by("pk")


def _filter_abandoned(same_id: Q) -> QuerySet[Repayment]:
    by_a_person = Q(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)
    sweeps = (RepaymentState.NOT_SENT, RepaymentState.DECLINED)
    by_a_sweep = Q(state__in=sweeps, ended_by_sweep=True)
    return Repayment.objects.filter(
        same_id, Q(state=RepaymentState.NOT_FOUND) | by_a_sweep | by_a_person
    )


def _commit(
    intents: Sequence[Intent], by: User, approval: approvals.Approval | None
) -> list[Repayment]:
    """Commit all of these intents with their audit entries and return their rows.

    If nothing is committed, raise an error of `create_intent`, or IntegrityError if another row
    blocks an intent.
    """
    if approval is not None and approval.by.pk == by.pk:
        raise OwnRepayment
    refuse_suspected()
    now, app_id = timezone.now(), intents[0].request.app_id
    size = len(intents)
    with transaction.atomic(durable=True):
        if own := read_limits(app_id):
            # Lock the person's row, so that two requests at the same time can't both pass the daily
            # limit.
            list(User.objects.select_for_update(no_key=True).filter(pk=by.pk).values_list("pk"))
            size = 1
        repayments: list[Repayment] = []
        for start in range(0, len(intents), size):
            rows = [_build(one, by, approval, now, own) for one in intents[start : start + size]]
            repayments += Repayment.objects.bulk_create(rows)
        is_waiting = any(one.state == RepaymentState.AWAITING for one in repayments)
        if is_waiting and not approvals.list_approvers(app_id, but=by).exists():
            raise NobodyToApprove
        # This check comes after the insertion. If another transaction abandons a repayment with the
        # same id at the same time, that transaction is committed before this check.
        pairs = zip(repayments, intents, strict=True)
        same = [
            Q(app_id=one.app_id, account_id=one.account_id, external_id_key=one.external_id_key)
            for one, intent in pairs
            if not intent.agreed
        ]
        nothing, is_checked = Repayment.objects.none(), all(one.checked for one in intents)
        doubles, gaps = count_each(
            [
                _filter_abandoned(reduce(or_, same)) if same else nothing,
                nothing if is_checked else list_gaps(app_id),
            ]
        )
        if doubles:
            raise MayDouble
        if gaps:
            raise MayBeForgotten
        why = _("saved for sending")
        audit.record_all([_build_entry(repayment, by, why) for repayment in repayments])
    return repayments


def _build(
    intent: Intent,
    by: User,
    approval: approvals.Approval | None,
    now: datetime,
    own: ApprovalLimits | None,
) -> Repayment:
    """Return the unsaved row of an intent. The limits of the app decide if it needs approval."""
    request = intent.request
    external_id = request.external_id.strip() or make_external_id(request.app_id, now)
    is_minted = not request.external_id.strip() or request.external_id_minted or _repeats(request)
    named = replace(request, external_id=external_id, external_id_minted=is_minted)
    columns = vars(named).copy()
    reasons = approvals.find_reasons(request, by, intent.idempotency_key, now, own)
    given = approval if reasons else None
    is_waiting = bool(reasons) and given is None
    return Repayment(
        retry_of_id=columns.pop("retry_of"),
        **columns,
        external_id_key=normalise_external_id(external_id),
        idempotency_key=intent.idempotency_key,
        created_by=by,
        created_at=now,
        state_at=now,
        send_before=now + SEND_WITHIN,
        state=RepaymentState.AWAITING if is_waiting else RepaymentState.PENDING,
        approval_reasons=",".join(reasons),
        approved_by=given and given.by,
        approved_at=given and given.at,
    )


def _repeats(request: Request) -> bool:
    """Return True if the request sends a payment again under an id that the dashboard made.

    Such a request is about the same cash as before.
    """
    if request.retry_of is None:
        return False
    key = normalise_external_id(request.external_id)
    rows = Repayment.objects.filter(pk=request.retry_of, external_id_minted=True)
    return rows.filter(external_id_key=key).exists()


def explain_refusal(request: Request, idempotency_key: str) -> Repayment | None:
    """Return the first repayment with the idempotency key, if there is one.

    Otherwise raise DuplicateExternalId or LoanBusy if another repayment blocks the request. Return
    None if nothing blocks the request any more.
    """
    first = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if first:
        return first
    of_loan = Repayment.objects.filter(app_id=request.app_id, account_id=request.account_id)
    live = find_holder(request.app_id, request.account_id, request.external_id)
    if live:
        raise DuplicateExternalId(live)
    busy = of_loan.filter(state__in=OPEN, set_aside_at=None).first()
    if busy:
        raise LoanBusy(busy)
    return None


def find_holder(app_id: str, account_id: str, external_id: str) -> Repayment | None:
    """Return the repayment of a loan that uses this externalId; None if there is none.

    The rule is the same as in the database constraint.
    """
    same_id = Repayment.objects.filter(
        app_id=app_id,
        account_id=account_id,
        external_id_key=normalise_external_id(external_id),
        duplicate=False,
    )
    resolved_recorded = Q(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED)
    return same_id.filter(Q(state__in=HOLDS_EXTERNAL_ID) | resolved_recorded).first()


def move(
    repayment: Repayment, to: RepaymentState, *, by: User | None, why: str = "", **fields: Any
) -> bool:
    """Change the state of a row to `to`, as `move_all` does; return True if the state changed."""
    [is_moved] = move_all([Move(repayment, to, {"why": why, **fields})], by=by)
    return is_moved


def move_all(
    moves: Sequence[Move], *, by: User | None, readings: Sequence[Reading] = ()
) -> list[bool]:
    """Change the state of each row that is in a start state of its move.

    Return True for each row that changed, and False for the others. Commit all moves together, with
    their audit entries, the new receipt numbers and the new `readings`. Withdraw presumptions that
    the moves disprove. `by` is None if the dashboard makes the change. The given objects get the
    stored values in any case.
    """
    now = timezone.now()
    with transaction.atomic(durable=True):
        Reading.objects.bulk_create(readings)
        presumed = _lock_loans([one.repayment for one in moves if one.to in _LANDS])
        moved = [_swap(one, now) for one in moves]
        done = [one for one, is_moved in zip(moves, moved, strict=True) if is_moved]
        withdrawn = [
            one
            for landed in (done if presumed else ())
            for one in _withdraw_presumptions(landed.repayment, presumed)
        ]
        # Numbers are given late, because from here on other receipts of the app wait for this
        # transaction.
        receipts.give_numbers([one.repayment for one in done])
        # The audit entries come last, because from here on all other entries of the trail wait.
        entries = [_build_entry(one.repayment, by, one.fields.get("why", "")) for one in done]
        audit.record_all(entries + [_build_entry(one, None, one.why) for one in withdrawn])
    return moved


def _swap(move: Move, now: datetime) -> bool:
    """Update the row if its state is a start of the move; return True if it was updated."""
    repayment, held = move.repayment, move.repayment.state
    starts = REACHED_FROM[move.to] if move.starts is None else move.starts
    values = bind(repayment, **{"why": "", **move.fields, "state": move.to, "state_at": now})
    is_moved = Repayment.objects.filter(pk=repayment.pk, state__in=starts).update(**values) == 1
    if is_moved and held in _SENDERS_OWN and tuple(starts) == (held,):
        for name, value in values.items():
            setattr(repayment, name, value)
    else:
        repayment.refresh_from_db()
    return is_moved


def _lock_loans(repayments: Sequence[Repayment]) -> list[int]:
    """Lock all repayments of these loans; return the keys of the presumed repayments.

    Until the transaction ends, no other transaction can draw conclusions from the loans' balances.
    """
    if not repayments:
        return []
    loans = Q()
    for one in repayments:
        loans |= Q(app_id=one.app_id, account_id=one.account_id)
    rows = Repayment.objects.filter(loans).select_for_update().order_by("pk")
    states = rows.values_list("pk", "state")
    return [pk for pk, state in states if state == RepaymentState.PRESUMED]


def _withdraw_presumptions(landed: Repayment, keys: Sequence[int]) -> list[Repayment]:
    """Make presumed repayments unknown if `landed` explains their rise; return these repayments.

    A rise is evidence for only one repayment. So presumptions may be wrong if the service
    acknowledges `landed` late, or if a person resolves it as recorded. Each withdrawn repayment
    gets an alarm. If another repayment of the loan is open, the withdrawn repayment is also set
    aside.
    """
    withdrawn = []
    for presumed in list_of_loan(landed).filter(pk__in=keys, state=RepaymentState.PRESUMED):
        found = attribution_of(presumed)
        if found is None or found.effect in (Effect.SEEN, Effect.MORE):
            continue
        why = _(
            "This repayment was marked as recorded because the paid amount rose. But the cause "
            "of this rise is %(repayment)s."
        ) % {"repayment": landed}
        fields = {"state": RepaymentState.UNKNOWN, "state_at": timezone.now(), "why": why}
        fields |= unconfirmed.build_alarm(why)
        fields["next_check_at"] = timezone.now()
        row = Repayment.objects.filter(pk=presumed.pk, state=RepaymentState.PRESUMED)
        try:
            with transaction.atomic():
                row.update(**fields)
        except IntegrityError:
            # The loan's next repayment is open, and only one repayment of a loan can be open.
            fields |= {"set_aside_at": timezone.now(), "set_aside_reason": why}
            row.update(**bind(presumed, **fields))
        presumed.refresh_from_db()
        withdrawn.append(presumed)
    return withdrawn


def list_of_loan(repayment: Repayment) -> QuerySet[Repayment]:
    return Repayment.objects.filter(app_id=repayment.app_id, account_id=repayment.account_id)


def conclude_all(moves: Sequence[Move], *, by: User | None) -> None:
    """Save the outcomes of rows that were sent, in one transaction.

    If a row already has another conclusion, the service answered late; that outcome is saved in its
    own transaction, and an alarm says so.
    """
    sent = [one._replace(starts=(RepaymentState.SENT,)) for one in moves]
    for late, is_moved in zip(moves, move_all(sent, by=by), strict=True):
        if is_moved or late.to == RepaymentState.UNKNOWN:
            continue
        if late.to == RepaymentState.RECORDED:
            _acknowledge_late(late.repayment, by, **late.fields)
        else:
            refuse(late.repayment, late.to, by, **late.fields)


def _acknowledge_late(repayment: Repayment, by: User | None, **fields: Any) -> None:
    text = _(
        "The service confirmed this repayment late. In this dashboard its status was “%(state)s”."
    ) % {"state": _(RepaymentState(repayment.state).label)}
    to = RepaymentState.RECORDED
    try:
        move(repayment, to, by=by, **fields, **unconfirmed.build_alarm(text))
    except IntegrityError:
        text = _(
            "The service confirmed this repayment late. The service now has this transaction "
            "id twice."
        )
        move(repayment, to, by=by, duplicate=True, **fields, **unconfirmed.build_alarm(text))


def refuse(repayment: Repayment, to: RepaymentState, by: User | None, **fields: Any) -> None:
    """Change the state to `refused` or `not sent`, as `to` says.

    If the repayment counted as recorded, a late refusal raises an alarm. If a person has resolved
    the repayment, the state does not change, and only the service's words are added.
    """
    repayment.refresh_from_db()
    is_resolved = repayment.state == RepaymentState.RESOLVED
    if repayment.state == RepaymentState.PRESUMED or (
        is_resolved and repayment.resolution == Resolution.RECORDED
    ):
        text = _(REFUSED_LATE) % {"state": _(RepaymentState(repayment.state).label)}
        fields |= unconfirmed.build_alarm(text)
    if not is_resolved:
        move(repayment, to, by=by, **fields)
        return
    kept = {name: value for name, value in fields.items() if name not in ("why", "next_check_at")}
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(pk=repayment.pk, state=RepaymentState.RESOLVED)
        if rows.update(**bind(repayment, **kept)):
            repayment.refresh_from_db()
            audit_state(repayment, by, _("refused late: %(why)s") % {"why": fields.get("why", "")})


def raise_alarm(repayment: Repayment, text: str, *, joins: bool = False) -> None:
    """Save and commit an alarm for a repayment without one, with an audit entry.

    With `joins`, the text is added to an unseen alarm, or replaces an alarm that was seen.
    """
    with transaction.atomic(durable=True):
        row = Repayment.objects.select_for_update().get(pk=repayment.pk)
        if row.alarm and (not joins or text in row.alarm):
            return
        unseen = row.alarm if row.alarm_seen_at is None else ""
        alarm = unconfirmed.build_alarm(" ".join(filter(None, (unseen, text))))
        Repayment.objects.filter(pk=row.pk).update(**alarm)
        repayment.refresh_from_db()
        audit_state(repayment, None, text)


def audit_state(repayment: Repayment, by: User | None, detail: str) -> None:
    audit.record_all([_build_entry(repayment, by, detail)])


def _build_entry(repayment: Repayment, by: User | None, detail: str) -> Entry:
    saved = {RepaymentState.RECORDED: "yes"} | dict.fromkeys(NOTHING_SAVED, "no")
    if repayment.ended_by_sweep:
        saved |= dict.fromkeys((RepaymentState.NOT_SENT, RepaymentState.DECLINED), "unknown")
    if repayment.approved_by:
        names = {"maker": repayment.created_by.username, "approver": repayment.approved_by.username}
        both = _("entered by %(maker)s, approved by %(approver)s") % names
        detail = "; ".join(filter(None, (detail, both)))
    return audit.build_entry(
        by,
        "loans.makeRepayment",
        app_id=repayment.app_id,
        subject=f"{repayment.account_id} {repayment}",
        outcome=RepaymentState(repayment.state).label,
        saved=saved.get(RepaymentState(repayment.state), "unknown"),
        request_id=repayment.request_id,
        detail=detail,
        url=repayment.get_absolute_url(),
    )


# Decisions by people. A person can't decide on their own repayments, or on repayments of a person
# of whom they are not independent (core/staff/independence.py).


def list_waiting(app_id: str, person: User) -> QuerySet[Repayment]:
    """Return the repayments with an unseen alarm, for a person who may resolve repayments.

    Return none to other people. Repayments that need checking are left out.
    """
    if not person.has_perm(RESOLVE, app_id):
        return Repayment.objects.none()
    alarmed = Repayment.objects.with_unseen_alarm(app_id)
    return alarmed.filter(unindexed(Q(needs_checking=False)))


def _check_other(repayment: Repayment, by: User) -> None:
    """Raise OwnRepayment or NotIndependent if this person may not decide on the repayment."""
    if repayment.created_by_id == by.pk:
        raise OwnRepayment
    check_independent(by, repayment.created_by)


def approve(repayment: Repayment, by: User, *, agreed: bool = False, checked: bool = False) -> bool:
    """Approve a repayment as a second person; return True if it is now `pending`, ready to send.

    Return False if the repayment has expired, or if another person has already decided. Raise
    OwnRepayment if the approver entered the repayment, and NotIndependent if the approver is not
    independent of the person who entered it. Raise LoanBusy if another repayment of the loan is
    open. Raise MayDouble if an abandoned attempt may be recorded too, and the approver has not
    `agreed` to this. Raise MayBeForgotten if the journal has a gap and the approver has not
    `checked` the service. Raise MayBeRestored if the database may have been restored, and no person
    has confirmed or denied this.
    """
    _check_other(repayment, by)
    same = (repayment.app_id, repayment.account_id, repayment.external_id)
    if not agreed and find_abandoned(*same).exists():
        raise MayDouble
    if not checked and find_gap(repayment.app_id):
        raise MayBeForgotten
    refuse_suspected()
    if approvals.is_expired(repayment.created_at):
        return False
    now = timezone.now()
    why = _("approved")
    fields = {"approved_by": by, "approved_at": now, "send_before": now + SEND_WITHIN}
    try:
        return move(repayment, RepaymentState.PENDING, by=by, why=why, **fields)
    except IntegrityError:
        busy = list_of_loan(repayment).filter(state__in=OPEN, set_aside_at=None).first()
        if busy is None:
            raise
        raise LoanBusy(busy) from None


def decline(repayment: Repayment, reason: str, by: User) -> bool:
    """Decline a repayment with a reason; return False if it does not wait for approval.

    `by` is an approver, or the person who entered the repayment.
    """
    fields = {"resolved_by": by, "resolved_at": timezone.now(), "resolution_reason": reason}
    why = _("declined, with a reason")
    return move(repayment, RepaymentState.DECLINED, by=by, why=why, **fields)


def lapse_unapproved(at_most: int) -> int:
    """End repayments that were not approved within a day; return their number.

    End at most `at_most` repayments; the next call continues.
    """
    since = timezone.now() - approvals.APPROVE_WITHIN
    late = Repayment.objects.filter(state=RepaymentState.AWAITING, created_at__lte=since)
    why = approvals.NOT_IN_TIME
    return sum(move(one, RepaymentState.DECLINED, by=None, why=why) for one in late[:at_most])


def mark_alarm_seen(repayment: Repayment, by: User) -> None:
    """Mark the alarm of a repayment as seen.

    The home page no longer shows the alarm, but the repayment does. If the alarm was seen before,
    nothing changes.
    """
    with transaction.atomic(durable=True):
        if unconfirmed.mark_alarm_seen(repayment):
            repayment.refresh_from_db()
            audit_state(repayment, by, _("alarm seen"))


@in_english
def resolve(repayment: Repayment, resolution: Resolution, reason: str, by: User) -> bool:
    """Resolve a repayment by a person's decision; return False if its state forbids this.

    Raise OwnRepayment if the person entered the repayment, NotIndependent if the person is not
    independent of the person who entered it, and DuplicateExternalId if another repayment now uses
    the externalId.
    """
    _check_other(repayment, by)
    fields = {
        "resolution": resolution,
        "resolution_reason": reason,
        "resolved_by": by,
        "resolved_at": timezone.now(),
        # Checks continue after a resolution as not recorded, because a late rise must be found. The
        # id of the repayment may be used again by then.
        "next_check_at": timezone.now() if resolution == Resolution.NOT_RECORDED else None,
    }
    try:
        # The reason may be personal, so it is only in its encrypted column and not in the trail.
        why = _("%(resolution)s, with a reason") % {"resolution": resolution.label}
        return move(repayment, RepaymentState.RESOLVED, by=by, why=why, **fields)
    except IntegrityError:
        live = find_holder(repayment.app_id, repayment.account_id, repayment.external_id)
        if live is None:
            raise
        raise DuplicateExternalId(live) from None


def set_aside(repayment: Repayment, reason: str, by: User) -> bool:
    """Set aside an unknown repayment, so that the loan's next repayment can be sent.

    Return False if the repayment is not unknown or is already set aside. Raise OwnRepayment if the
    person entered the repayment, and NotIndependent if the person is not independent of the person
    who entered it.
    """
    _check_other(repayment, by)
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(
            pk=repayment.pk, state=RepaymentState.UNKNOWN, set_aside_at=None
        )
        fields = {"set_aside_at": timezone.now(), "set_aside_by": by, "set_aside_reason": reason}
        done = rows.update(**bind(repayment, **fields))
        repayment.refresh_from_db()
        if done:
            audit_state(repayment, by, _("set aside, with a reason"))
    return done == 1


BADGE = Badge("needs-checking", list_waiting)
