"""What people decide of a repayment: that it goes or not, what became of it, that the next may go.

Nobody decides of what they entered, or of what a person entered of whom they are not independent
(`staff.independence`). The transitions are those of `services`.
"""

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.audit.restores import refuse_suspected
from lendingadmin.core.encryption import bind
from lendingadmin.core.staff.independence import check_independent
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import unconfirmed
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web.keyset import unindexed
from lendingadmin.web.navigation import Badge

from . import approvals
from .models import Repayment
from .services import (
    SEND_WITHIN,
    DuplicateExternalId,
    LoanBusy,
    MayBeForgotten,
    MayDouble,
    OwnRepayment,
    audit_state,
    find_abandoned,
    find_gap,
    find_holder,
    list_of_loan,
    move,
)
from .states import OPEN, RepaymentState, Resolution


def list_waiting(app_id: str, person: User) -> QuerySet[Repayment]:
    """Those with an alarm that waits for this person: for those who resolve, for others none. One
    that needs checking anyway is not among them.
    """
    if not person.has_perm(RESOLVE, app_id):
        return Repayment.objects.none()
    alarmed = Repayment.objects.with_unseen_alarm(app_id)
    return alarmed.filter(unindexed(Q(needs_checking=False)))


def _check_other(repayment: Repayment, by: User) -> None:
    """Raise OwnRepayment or NotIndependent where this person does not decide of it."""
    if repayment.created_by_id == by.pk:
        raise OwnRepayment
    check_independent(by, repayment.created_by)


def approve(repayment: Repayment, by: User, *, agreed: bool = False, checked: bool = False) -> bool:
    """A second person lets it go: it is `pending` then, to be sent at once; say whether it is.

    It is not where it lapsed, or somebody else decided. Raises OwnRepayment for who entered it,
    NotIndependent for who is not independent of that person, LoanBusy because another of the loan
    is open by now, MayDouble because it may double an abandoned one and the approver has not
    `agreed` to that, and MayBeForgotten because the journal has a gap and the approver has not
    `checked`. MayBeRestored where the database may have been put back unannounced.
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
    why = gettext_noop("approved")
    fields = {"approved_by": by, "approved_at": now, "send_before": now + SEND_WITHIN}
    try:
        return move(repayment, RepaymentState.PENDING, by=by, why=why, **fields)
    except IntegrityError:
        busy = list_of_loan(repayment).filter(state__in=OPEN, set_aside_at=None).first()
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


def mark_alarm_seen(repayment: Repayment, by: User) -> None:
    """A person has seen the alarm; it leaves the home page and stays with the repayment."""
    with transaction.atomic(durable=True):
        if unconfirmed.mark_alarm_seen(repayment):
            repayment.refresh_from_db()
            audit_state(repayment, by, gettext_noop("alarm seen"))


def resolve(repayment: Repayment, resolution: Resolution, reason: str, by: User) -> bool:
    """A person decides what became of it.

    Raises OwnRepayment for who entered it, NotIndependent for who is not independent of
    that person, and DuplicateExternalId when its externalId is taken again.
    """
    _check_other(repayment, by)
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
        live = find_holder(repayment.app_id, repayment.account_id, repayment.external_id)
        if live is None:
            raise
        raise DuplicateExternalId(live) from None


def set_aside(repayment: Repayment, reason: str, by: User) -> bool:
    """A manager lets the loan's next repayment through while this one stays unknown.

    Raises OwnRepayment for who entered it, and NotIndependent for who is not independent of
    that person.
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
            audit_state(repayment, by, gettext_noop("set aside, with a reason"))
    return done == 1


BADGE = Badge("needs-checking", list_waiting)
