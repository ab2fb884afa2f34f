"""Commands of the repayment table: commit an intent, and move it from state to state.

Each transition is a compare-and-swap that must touch exactly one row, and is committed before the
call that it guards: `durable=True` fails at once inside another transaction.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin import audit
from lendingadmin.encryption import bind
from lendingadmin.staff.models import User
from lendingadmin.writes import unconfirmed

from . import approvals, receipts
from .attribution import attribution_of
from .evidence import Effect
from .models import Repayment, normalise_external_id
from .states import HOLDS_EXTERNAL_ID, NOTHING_SAVED, OPEN, REACHED_FROM, RepaymentState, Resolution

# An intent that has not been sent by then is dead: its sender was paused, or died.
SEND_WITHIN = timedelta(seconds=30)

_TRIES = 3

# While it stands so, only its sender changes the row: what the sender holds is what is stored.
_SENDERS_OWN = (RepaymentState.PENDING, RepaymentState.SENT)

# What a repayment ends as when its loan's rise of `paid` may have to be attributed again.
_LANDS = (RepaymentState.RECORDED, RepaymentState.PRESUMED, RepaymentState.RESOLVED)


class DuplicateExternalId(Exception):
    """Another of this loan bears the same externalId and is, or may be, at the service."""

    def __init__(self, other: Repayment) -> None:
        super().__init__(f"externalId is taken by {other}")
        self.other = other


class LoanBusy(Exception):
    """Another repayment of this loan is still open, so evidence could not tell the two apart."""

    def __init__(self, other: Repayment) -> None:
        super().__init__(f"{other} of this loan is still open")
        self.other = other


class NobodyToApprove(Exception):
    """It needs a second person, and nobody else may approve it in its app."""


class OwnRepayment(Exception):
    """Nobody approves, resolves or sets aside what they entered."""


class MayDouble(Exception):
    """An abandoned attempt has this externalId and may yet be posted; nobody agreed to that."""


@dataclass(frozen=True)
class Request:
    """What a person asked to be recorded; fields as the parameters of MakeRepayment (spec: Loans).

    `amount` in the currency of the loan; both dates aware; `external_id` blank for cash.
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
    retry_of: int | None = None


def build_request(repayment: Repayment) -> Request:
    """What was asked for, as the row keeps it."""
    names = (field.name for field in fields(Request) if field.name != "retry_of")
    kept = {name: getattr(repayment, name) for name in names}
    return Request(**kept, retry_of=repayment.retry_of_id)


def make_external_id(now: datetime) -> str:
    """An externalId for a payment that has none of its own, such as cash over the counter."""
    return f"CASH-{now:%Y%m%d}-{secrets.token_hex(4).upper()}"


def create_intent(
    request: Request,
    by: User,
    idempotency_key: str,
    *,
    agreed: bool = True,
    approved_by: User | None = None,
) -> tuple[Repayment, bool]:
    """Commit the intent, before anything is sent. Returns it and whether it is new.

    It is `pending`, or `awaiting` where it needs a second person; who has approved it beforehand,
    as one of a batch, is `approved_by`. The same `idempotency_key` gives
    back the first intent. Nothing is kept when it raises DuplicateExternalId or LoanBusy because
    another repayment of the loan stands against it, MayDouble because it may double an abandoned
    one and nobody `agreed` to that, NobodyToApprove, or OwnRepayment where the approver is `by`.
    """
    if approved_by is not None and approved_by.pk == by.pk:
        raise OwnRepayment
    now = timezone.now()
    columns = dict(vars(request))
    columns["external_id"] = request.external_id.strip() or make_external_id(now)
    columns["retry_of_id"] = columns.pop("retry_of")
    columns["external_id_minted"] = not request.external_id.strip()
    columns["approved_by"] = approved_by
    for _attempt in range(_TRIES):
        try:
            return _commit(request, columns, by, idempotency_key, now, agreed), True
        except IntegrityError:
            # What stood against it may be concluded by the time that it is looked for.
            first = _explain(columns, idempotency_key)
        if first:
            return first, False
    raise RuntimeError("the intent was refused, yet nothing stands against it")


def find_abandoned(app_id: str, account_id: str, external_id: str) -> QuerySet[Repayment]:
    """The attempts with this externalId that were abandoned, by evidence, a sweep or a person.

    The service never said no to them: each may be there, or may yet be posted.
    """
    same_id = Repayment.objects.filter(
        app_id=app_id, account_id=account_id, external_id_key=normalise_external_id(external_id)
    )
    by_a_person = Q(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)
    by_a_sweep = Q(state=RepaymentState.NOT_SENT, ended_by_sweep=True)
    return same_id.filter(Q(state=RepaymentState.NOT_FOUND) | by_a_sweep | by_a_person).order_by(
        "pk"
    )


def _commit(
    request: Request,
    columns: Mapping[str, Any],
    by: User,
    idempotency_key: str,
    now: datetime,
    agreed: bool,
) -> Repayment:
    with transaction.atomic(durable=True):
        if request.app_id in settings.APPROVAL_LIMITS:
            # One after the other: two at once must not both stay below the limit of a day.
            list(User.objects.select_for_update(no_key=True).filter(pk=by.pk).values_list("pk"))
        reasons = approvals.find_reasons(request, by, idempotency_key, now)
        approver = columns["approved_by"] if reasons else None
        is_waiting = bool(reasons) and approver is None
        repayment = Repayment.objects.create(
            **{**columns, "approved_by": approver, "approved_at": now if approver else None},
            idempotency_key=idempotency_key,
            created_by=by,
            created_at=now,
            state_at=now,
            send_before=now + SEND_WITHIN,
            state=RepaymentState.AWAITING if is_waiting else RepaymentState.PENDING,
            approval_reasons=",".join(reasons),
        )
        if is_waiting and not approvals.list_approvers(request.app_id, but=by).exists():
            raise NobodyToApprove
        # After the row is in: whatever gave the other one up meanwhile is committed by now.
        if (
            not agreed
            and find_abandoned(
                repayment.app_id, repayment.account_id, repayment.external_id
            ).exists()
        ):
            raise MayDouble
        _audit(repayment, by, gettext_noop("intent committed"))
    return repayment


def approve(repayment: Repayment, by: User, *, agreed: bool = True) -> bool:
    """A second person lets it go: it is `pending` then, to be sent at once; say whether it is.

    It is not where it lapsed, or somebody else decided. Raises OwnRepayment for who entered it,
    LoanBusy because another of the loan is open by now, and MayDouble because it may double an
    abandoned one and the approver has not `agreed` to that.
    """
    if repayment.created_by_id == by.pk:
        raise OwnRepayment
    same = (repayment.app_id, repayment.account_id, repayment.external_id)
    if not agreed and find_abandoned(*same).exists():
        raise MayDouble
    now = timezone.now()
    if repayment.created_at <= now - approvals.APPROVE_WITHIN:
        return False
    why = gettext_noop("approved")
    fields = {"approved_by": by, "approved_at": now, "send_before": now + SEND_WITHIN}
    try:
        return move(repayment, RepaymentState.PENDING, by=by, why=why, **fields)
    except IntegrityError:
        busy = _of_loan(repayment).filter(state__in=OPEN, set_aside_at=None).first()
        if busy is None:
            raise
        raise LoanBusy(busy) from None


def decline(repayment: Repayment, reason: str, by: User) -> bool:
    """An approver, or who entered it, decides that it is not sent; say whether it still waited."""
    fields = {"resolved_by": by, "resolved_at": timezone.now(), "resolution_reason": reason}
    why = _("declined, with a reason")
    return move(repayment, RepaymentState.DECLINED, by=by, why=why, **fields)


def lapse_unapproved(at_most: int) -> int:
    """End what nobody approved within a day; returns how many. The next call goes on."""
    since = timezone.now() - approvals.APPROVE_WITHIN
    late = Repayment.objects.filter(state=RepaymentState.AWAITING, created_at__lte=since)
    why = _("Nobody approved it within a day.")
    return sum(move(one, RepaymentState.DECLINED, by=None, why=why) for one in late[:at_most])


def _explain(columns: Mapping[str, Any], idempotency_key: str) -> Repayment | None:
    """Return the repayment of the same idempotency key, or raise the rule that refused the intent.

    None when nothing stands against it any more.
    """
    first = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if first:
        return first
    of_loan = Repayment.objects.filter(app_id=columns["app_id"], account_id=columns["account_id"])
    live = _holder(columns["app_id"], columns["account_id"], columns["external_id"])
    if live:
        raise DuplicateExternalId(live)
    busy = of_loan.filter(state__in=OPEN, set_aside_at=None).first()
    if busy:
        raise LoanBusy(busy)
    return None


def _holder(app_id: str, account_id: str, external_id: str) -> Repayment | None:
    """The repayment of a loan that holds this externalId, as the table's constraint counts it."""
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
    """Move the row to `to` if it stands where `to` may be reached from; say whether it did.

    Commits, with the audit entry and the number of a receipt where there is one from now on, before
    it returns. `by` is None for the machinery. The given object is refreshed either way.
    """
    held = RepaymentState(repayment.state)
    is_own = held in _SENDERS_OWN and held in REACHED_FROM[to]
    if is_own and _move_from((held,), repayment, to, by=by, why=why, **fields):
        return True
    return _move_from(REACHED_FROM[to], repayment, to, by=by, why=why, **fields)


def _move_from(
    states: Sequence[RepaymentState],
    repayment: Repayment,
    to: RepaymentState,
    *,
    by: User | None,
    why: str = "",
    **fields: Any,
) -> bool:
    """Move the row to `to` if it stands in one of these states; say whether it did."""
    now, held = timezone.now(), repayment.state
    with transaction.atomic(durable=True):
        presumed = _lock_loan(repayment) if to in _LANDS else []
        values = bind(repayment, state=to, state_at=now, why=why, **fields)
        moved = Repayment.objects.filter(pk=repayment.pk, state__in=states).update(**values)
        if moved and states == (held,) and held in _SENDERS_OWN:
            for name, value in values.items():
                setattr(repayment, name, value)
        else:
            repayment.refresh_from_db()
        if moved:
            withdrawn = _withdraw_presumptions(repayment, presumed) if presumed else []
            # Late, because every other receipt of the app waits until this transaction ends.
            receipts.give_number(repayment)
            # Behind all changes, because every other entry of the trail waits too.
            _audit(repayment, by, why)
            for one in withdrawn:
                _audit(one, None, one.why)
    return moved == 1


def _lock_loan(repayment: Repayment) -> list[int]:
    """Let nobody else conclude from this loan's balances until the transaction ends.

    Gives the keys of the loan's repayments that were presumed from them.
    """
    rows = _of_loan(repayment).select_for_update().order_by("pk").values_list("pk", "state")
    return [pk for pk, state in rows if state == RepaymentState.PRESUMED]


def _withdraw_presumptions(landed: Repayment, keys: Sequence[int]) -> list[Repayment]:
    """What was presumed from a rise that another repayment accounts for is unknown again.

    That is so once the service acknowledges the other one late, or a person says that it was
    recorded: a rise speaks for one repayment only. Gives those that were withdrawn.
    """
    withdrawn = []
    for presumed in _of_loan(landed).filter(pk__in=keys, state=RepaymentState.PRESUMED):
        found = attribution_of(presumed)
        if found is None or found.effect in (Effect.SEEN, Effect.MORE):
            continue
        why = _("The rise of paid that spoke for it belongs to %(repayment)s as well.") % {
            "repayment": landed
        }
        fields = {"state": RepaymentState.UNKNOWN, "state_at": timezone.now(), "why": why}
        fields |= unconfirmed.build_alarm(why)
        fields["next_check_at"] = timezone.now()
        row = Repayment.objects.filter(pk=presumed.pk, state=RepaymentState.PRESUMED)
        try:
            with transaction.atomic():
                row.update(**fields)
        except IntegrityError:
            # The loan's next repayment is under way: only one of them can be open.
            fields |= {"set_aside_at": timezone.now(), "set_aside_reason": why}
            row.update(**bind(presumed, **fields))
        presumed.refresh_from_db()
        withdrawn.append(presumed)
    return withdrawn


def _of_loan(repayment: Repayment) -> QuerySet[Repayment]:
    return Repayment.objects.filter(app_id=repayment.app_id, account_id=repayment.account_id)


def acknowledge(repayment: Repayment, by: User | None, **fields: Any) -> None:
    """Move the row to `recorded`, whatever its state: the service said that it holds it.

    Raises an alarm when it was concluded otherwise meanwhile, or when another with its externalId
    is recorded too.
    """
    try:
        _acknowledge(repayment, by, **fields)
    except IntegrityError:
        text = _("The service acknowledged it late: it now holds this externalId twice.")
        fields |= unconfirmed.build_alarm(text)
        move(repayment, RepaymentState.RECORDED, by=by, duplicate=True, **fields)


def _acknowledge(repayment: Repayment, by: User | None, **fields: Any) -> None:
    to = RepaymentState.RECORDED
    if _move_from((RepaymentState.SENT,), repayment, to, by=by, **fields):
        return
    text = _("The service acknowledged it late, when it stood as “%(state)s” here.") % {
        "state": _(RepaymentState(repayment.state).label)
    }
    fields |= unconfirmed.build_alarm(text)
    move(repayment, to, by=by, **fields)


def refuse(repayment: Repayment, to: RepaymentState, by: User | None, **fields: Any) -> None:
    """Move the row to `refused` or `not sent`: the service, or our own wire, said no.

    A no that comes late, against what was concluded as recorded meanwhile, raises an alarm. What a
    person resolved stays as it is, with the service's words beside it.
    """
    repayment.refresh_from_db()
    is_resolved = repayment.state == RepaymentState.RESOLVED
    if repayment.state == RepaymentState.PRESUMED or (
        is_resolved and repayment.resolution == Resolution.RECORDED
    ):
        text = _("The service refused it late, when it stood as “%(state)s” here.") % {
            "state": _(RepaymentState(repayment.state).label)
        }
        fields |= unconfirmed.build_alarm(text)
    if not is_resolved:
        move(repayment, to, by=by, **fields)
        return
    kept = {name: value for name, value in fields.items() if name not in ("why", "next_check_at")}
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(pk=repayment.pk, state=RepaymentState.RESOLVED)
        if rows.update(**bind(repayment, **kept)):
            repayment.refresh_from_db()
            _audit(repayment, by, _("refused late: %(why)s") % {"why": fields.get("why", "")})


def raise_alarm(repayment: Repayment, text: str) -> None:
    """Put an alarm on the home page for this repayment, unless it has one."""
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(pk=repayment.pk, alarm="")
        if rows.update(**unconfirmed.build_alarm(text)):
            repayment.refresh_from_db()
            _audit(repayment, None, text)


def mark_alarm_seen(repayment: Repayment, by: User) -> None:
    """A person has seen the alarm; it leaves the home page and stays with the repayment."""
    with transaction.atomic(durable=True):
        if unconfirmed.mark_alarm_seen(repayment):
            repayment.refresh_from_db()
            _audit(repayment, by, gettext_noop("alarm seen"))


def resolve(repayment: Repayment, resolution: Resolution, reason: str, by: User) -> bool:
    """A person decides what became of it.

    Raises OwnRepayment for who entered it, and DuplicateExternalId when its externalId is taken
    again.
    """
    if repayment.created_by_id == by.pk:
        raise OwnRepayment
    fields = {
        "resolution": resolution,
        "resolution_reason": reason,
        "resolved_by": by,
        "resolved_at": timezone.now(),
        # Given up as not recorded, its id is free again: a late rise must still be seen.
        "next_check_at": timezone.now() if resolution == Resolution.NOT_RECORDED else None,
    }
    try:
        # The reason may be personal: it is encrypted in its own column and never in the trail.
        why = _("%(resolution)s, with a reason") % {"resolution": resolution.label}
        return move(repayment, RepaymentState.RESOLVED, by=by, why=why, **fields)
    except IntegrityError:
        live = _holder(repayment.app_id, repayment.account_id, repayment.external_id)
        if live is None:
            raise
        raise DuplicateExternalId(live) from None


def set_aside(repayment: Repayment, reason: str, by: User) -> bool:
    """A manager lets the loan's next repayment through while this one stays unknown.

    Raises OwnRepayment for who entered it.
    """
    if repayment.created_by_id == by.pk:
        raise OwnRepayment
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(
            pk=repayment.pk, state=RepaymentState.UNKNOWN, set_aside_at=None
        )
        fields = {"set_aside_at": timezone.now(), "set_aside_by": by, "set_aside_reason": reason}
        done = rows.update(**bind(repayment, **fields))
        repayment.refresh_from_db()
        if done:
            _audit(repayment, by, gettext_noop("set aside, with a reason"))
    return done == 1


def _audit(repayment: Repayment, by: User | None, detail: str) -> None:
    saved = {RepaymentState.RECORDED: "yes"} | dict.fromkeys(NOTHING_SAVED, "no")
    if repayment.ended_by_sweep:
        saved[RepaymentState.NOT_SENT] = "unknown"
    if repayment.approved_by:
        names = {"maker": repayment.created_by.username, "approver": repayment.approved_by.username}
        both = _("entered by %(maker)s, approved by %(approver)s") % names
        detail = "; ".join(filter(None, (detail, both)))
    audit.record(
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
