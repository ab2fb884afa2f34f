"""Commands for calls: take the next borrower, save a call, start and end stops."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, ngettext_lazy

from lendingadmin.core import audit, gateway
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.lending.errors import LendingError, NotFound
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import total_of
from lendingadmin.web.decisions import Task, ToDecide
from lendingadmin.web.navigation import Badge

from . import leases, rules
from .models import Call, Contact, Lease, PaidLoan, Promise, Stop
from .permissions import CALL, DECIDE
from .policies import get_rules
from .queues import Cause, Queue
from .states import OF_A_LOAN, STOPPED_BY, Outcome, PromiseState, StopKind

# The most loans that one press of Next reads from the service. Paid loans are skipped.
_MOST_READ = 5
# The shortest time between two calls to a borrower, whatever the result.
_NOT_AT_ONCE = timedelta(hours=3)
_SPOKEN = timedelta(days=3)
_KEPT_PAID = timedelta(days=30)
TO_DECIDE = ngettext_lazy(
    "%(count)s dispute or hardship to decide", "%(count)s disputes or hardships to decide", "number"
)
BROKEN = ngettext_lazy("%(count)s broken promise", "%(count)s broken promises", "number")


@dataclass(frozen=True)
class Entered:
    """A person's entries about a call.

    Amounts are in the app's currency, and days in the lender's time zone.
    """

    borrower_id: str
    account_id: str
    queue: str
    outcome: Outcome
    note: str = ""
    is_incoming: bool = False
    amount: Decimal | None = None
    day: date | None = None
    next_day: date | None = None


def take_next(queue: Queue, by: User) -> Lease | None:
    """Take the queue's first free borrower with an unpaid loan; None if there is none.

    Outside calling hours, return None. Read the loan from the service. If the loan was paid after
    the snapshot, remove it from the queues until the next snapshot. If the loan can't be read, or
    after `_MOST_READ` readings, take the borrower without this check.

    If no other borrower is left, return the lease that the person already has from this queue. The
    person may not know about this lease, if the host stopped before it answered.
    """
    if not rules.is_open(get_rules(queue.app), queue.now):
        return None
    lease, has_let_go = _take_one(queue, by)
    while lease is None and has_let_go:
        # The search released the person's earlier lease, so the borrower of that lease may be free
        # now.
        lease, has_let_go = _take_one(queue, by)
    return lease or leases.find_own(queue.app.app_id, queue.key, by, queue.now)


def _take_one(queue: Queue, by: User) -> tuple[Lease | None, bool]:
    """Try the free rows once; return the new lease, or None.

    Without a new lease, the second value is True if the search took and released other leases.
    """
    reads, has_let_go = 0, False
    for row in queue.list_free():
        found = {"account_id": row.account_id, "queue": queue.key}
        if not leases.take(queue.app.app_id, row.borrower_id, by, queue.now, **found):
            continue
        has_let_go = True
        # Between the list and the lease, another person may have called and released the borrower.
        if not queue.holds(row):
            leases.release(queue.app.app_id, row.borrower_id, by)
            continue
        reads += 1
        cause = queue.find_cause(row)
        if reads > _MOST_READ or not _has_paid(queue.app.app_id, row.account_id, cause):
            return leases.find_lease(queue.app.app_id, row.borrower_id, queue.now), False
        PaidLoan.objects.update_or_create(
            app_id=queue.app.app_id,
            account_id=row.account_id,
            defaults={"seen_at": timezone.now()},
        )
        leases.release(queue.app.app_id, row.borrower_id, by)
    return None, has_let_go


def forget_paid_loans(now: datetime) -> None:
    """Delete old rows of paid loans, because the newer snapshots show these loans as paid."""
    PaidLoan.objects.filter(seen_at__lt=now - _KEPT_PAID).delete()


def _has_paid(app_id: str, account_id: str, cause: Cause) -> bool:
    """Return True if the service shows that the cause of the call has been paid.

    Also return True if the service has no such loan. Return False if the loan can't be read.
    """
    try:
        loan = check_named(gateway.app(app_id).loans.get(account_id), account_id)
    except NotFound:
        return True
    except LendingError:
        return False
    if cause == Cause.NONE:
        return False
    overdue, unpaid = total_of(loan, "overdue"), total_of(loan, "unpaid")
    if unpaid is not None and unpaid <= 0:
        return True
    return cause == Cause.OVERDUE and overdue is not None and overdue <= 0


@in_english
def keep_call(
    app: LendingApp,
    entered: Entered,
    idempotency_key: str,
    by: User,
    *,
    now: datetime | None = None,
) -> Call:
    """Save a call, with its promise or stop and the time of the next call; return the call.

    If the same form was sent before, return the call that was saved then. Release the lease on the
    borrower, and record the call in the audit trail. For a promise, read the amount paid on the
    loan from the service. If the loan can't be read, only the repayments recorded in this dashboard
    decide the promise. `now` is the time of a call that is entered later.
    """
    paid_before = None
    if entered.outcome == Outcome.PROMISE:
        with suppress(LendingError):
            loan = gateway.app(app.app_id).loans.get(entered.account_id)
            paid_before = total_of(check_named(loan, entered.account_id), "paid")
    now = now or timezone.now()
    try:
        with transaction.atomic():
            call = Call.objects.create(
                app_id=app.app_id,
                borrower_id=entered.borrower_id,
                account_id=entered.account_id,
                queue=entered.queue,
                outcome=entered.outcome,
                is_incoming=entered.is_incoming,
                note=entered.note,
                idempotency_key=idempotency_key,
                called_by=by,
                called_at=now,
            )
            is_promise = entered.outcome == Outcome.PROMISE
            if is_promise and entered.amount is not None and entered.day is not None:
                Promise.objects.create(
                    call=call,
                    app_id=call.app_id,
                    borrower_id=call.borrower_id,
                    account_id=call.account_id,
                    amount=entered.amount,
                    day=entered.day,
                    made_at=now,
                    paid_before=paid_before,
                )
            if kind := STOPPED_BY.get(entered.outcome):
                add_stop(call.app_id, call.borrower_id, call.account_id, kind, by, call=call)
            _keep_contact(app, call, entered)
            leases.release(app.app_id, entered.borrower_id, by)
            audit.record_about(call, by, CALL, str(entered.outcome.label))
    except IntegrityError:
        return Call.objects.get(idempotency_key=idempotency_key)
    return call


def count_notice(
    app: LendingApp,
    borrower_id: str,
    account_id: str,
    next_day: date,
    idempotency_key: str,
    by: User,
    now: datetime,
) -> None:
    """Count a notice of what is owed as a contact. Run inside the caller's transaction.

    The next call is on `next_day` at the earliest, so that the borrower has time to pay.
    """
    entered = Entered(borrower_id, account_id, "", Outcome.NOTICE, next_day=next_day)
    call = Call.objects.create(
        app_id=app.app_id,
        borrower_id=borrower_id,
        account_id=account_id,
        outcome=Outcome.NOTICE,
        idempotency_key=idempotency_key,
        called_by=by,
        called_at=now,
    )
    _keep_contact(app, call, entered)


def _keep_contact(app: LendingApp, call: Call, entered: Entered) -> None:
    """Save the time when the borrower may be called again, from the call's result and the rules."""
    allowed = get_rules(app)
    since = call.called_at - rules.WEEK
    made = Call.objects.filter(
        app_id=app.app_id, borrower_id=call.borrower_id, called_at__gt=since, is_incoming=False
    )
    calls = list(made.values_list("called_at", flat=True))
    earliest = rules.find_next_attempt(allowed, calls, call.called_at)
    is_no_answer = entered.outcome == Outcome.NO_ANSWER
    wanted = call.called_at + (_NOT_AT_ONCE if is_no_answer else _SPOKEN)
    # On the promised day, the borrower is in the queue “Promise for today”.
    promised = entered.day if entered.outcome == Outcome.PROMISE else None
    if day := entered.next_day or promised:
        morning = datetime.combine(day, time(), allowed.zone)
        wanted = max(morning, call.called_at + _NOT_AT_ONCE)
    Contact.objects.update_or_create(
        app_id=app.app_id,
        borrower_id=call.borrower_id,
        defaults={"last_call": call, "next_at": max(earliest, wanted)},
    )


def add_stop(
    app_id: str,
    borrower_id: str,
    account_id: str,
    kind: StopKind,
    by: User,
    *,
    call: Call | None = None,
) -> None:
    """Stop calls about a loan or to a borrower.

    A stop that is already in effect does not change.
    """
    Stop.objects.get_or_create(
        app_id=app_id,
        borrower_id=borrower_id,
        account_id=account_id if kind in OF_A_LOAN else "",
        kind=kind,
        ended_at=None,
        defaults={"created_by": by, "call": call},
    )


@in_english
def end_stop(stop: Stop, reason: str, by: User) -> bool:
    """End a stop, with a reason; return False if the stop has already ended."""
    fields = {"ended_at": timezone.now(), "ended_by": by, "reason": reason}
    detail = str(StopKind(stop.kind).label)
    starts = Stop.objects.filter(ended_at=None)
    return transition(stop, starts, fields, by=by, action=DECIDE, outcome="ended", detail=detail)


def list_to_decide(app_id: str, person: User) -> QuerySet[Stop]:
    """Return the disputes and cases of hardship that this person may decide."""
    if not person.has_perm(DECIDE, app_id):
        return Stop.objects.none()
    rows = Stop.objects.filter(app_id=app_id, ended_at=None, kind__in=OF_A_LOAN)
    return rows.select_related("created_by")


def list_stops(app_id: str, borrower_id: str) -> list[Stop]:
    """Return the stops that are in effect for a borrower, the oldest first."""
    rows = Stop.objects.filter(app_id=app_id, borrower_id=borrower_id, ended_at=None)
    return list(rows.select_related("created_by").order_by("since", "id"))


def list_promised(app_id: str, person: User) -> QuerySet[Promise]:
    """Return the promises for today of this person's borrowers.

    A person who may decide on promises gets the promises of all borrowers. A person who may not
    call gets none.
    """
    today = timezone.localdate(timezone=gateway.lending_app(app_id).zone)
    rows = Promise.objects.filter(app_id=app_id, state=PromiseState.OPEN, day=today)
    if person.has_perm(DECIDE, app_id):
        return rows
    own = Assignment.objects.list_borrower_ids(app_id, person.pk, today)
    return rows.filter(borrower_id__in=own) if person.has_perm(CALL, app_id) else rows.none()


def list_broken(app_id: str, person: User) -> QuerySet[Promise]:
    """Return the broken promises whose borrowers were not called after the promise was broken.

    The queue “Promise broken” has the same promises. A person who may not decide on promises gets
    none.
    """
    if not person.has_perm(DECIDE, app_id):
        return Promise.objects.none()
    rows: QuerySet[Promise] = Queue(gateway.lending_app(app_id), "broken", timezone.now()).parts[0]
    return rows


def _describe_stop(stop: Stop) -> Task:
    return Task(
        reverse("call-stops", args=[stop.app_id], query={"waits": "decision"}),
        stop.account_id or stop.borrower_id,
        stop.since,
        stop.borrower_id,
        by=stop.created_by.username,
    )


def _describe_promise(promise: Promise) -> Task:
    app = gateway.lending_app(promise.app_id)
    return Task(
        promise.get_absolute_url(),
        promise.account_id,
        datetime.combine(promise.day, time(), app.zone),
        promise.borrower_id,
        promise.amount,
        app.currency,
    )


BADGE = Badge("collections", list_promised)
DECISIONS = [
    ToDecide(
        "stop",
        "call-stops",
        TO_DECIDE,
        list_to_decide,
        "?waits=decision",
        describe=_describe_stop,
        oldest_first=("since", "pk"),
        button=gettext_lazy("Open"),
    ),
    ToDecide(
        "promise",
        "queue",
        BROKEN,
        list_broken,
        key="broken",
        describe=_describe_promise,
        oldest_first=("day", "pk"),
        button=gettext_lazy("Open"),
    ),
]
