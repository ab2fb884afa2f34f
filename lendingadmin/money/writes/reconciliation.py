"""Find out the results of writes without an answer, by reading the service later.

Each area has an OutcomeChecker for its operations. A check only reads; nothing is ever sent again.
A check sets `found` and never the state. Only a late answer, or a person with a reason, ends an
unknown state.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext_lazy

from lendingadmin.core import audit
from lendingadmin.core.areas import collect
from lendingadmin.core.encryption import Undecryptable, bind
from lendingadmin.core.english import in_english
from lendingadmin.core.staff.independence import check_independent, list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.errors import LendingError
from lendingadmin.people.index.names import read_subject
from lendingadmin.web.decisions import Task, ToDecide
from lendingadmin.web.navigation import Badge

from . import idempotency, unconfirmed
from .messages import StateMessage
from .models import Check, Write
from .states import WriteFound, WriteResolution, WriteState
from .unconfirmed import SENDER_LOST, filter_unseen_alarms, make_due, run_due_check

logger = logging.getLogger(__name__)

RESOLVE = "dashboard.repayments.resolve"
UNDECIDED = ngettext_lazy(
    "%(count)s other change to resolve", "%(count)s other changes to resolve", "number"
)
# After one of these findings, the person may enter the write again.
ABANDONED = (WriteFound.NOT_SEEN, WriteFound.DIFFERS)
# After this many seconds, a run starts no further check, so that a service that hangs does not
# block the worker.
_RUN_FOR = 60.0
_AT_MOST = 200
_LONGEST_SUBJECT = 300


class OwnWrite(Exception):
    """Error: the person entered this write, so another person must resolve it."""


class Submitted(NamedTuple):
    """The sent data and, for a change, the earlier values of the fields."""

    sent: Mapping[str, object]
    before: Mapping[str, object] = {}

    def encode(self) -> str:
        """Return the data as text for the write; empty if nothing was sent."""
        return encode(self._asdict()).decode() if self.sent else ""


class CheckResult(NamedTuple):
    """The finding of a check, its reason in words, and links to records."""

    found: WriteFound
    why: str
    links: tuple[tuple[str, str], ...] = ()


class OutcomeChecker(NamedTuple):
    """How an area finds the result of one kind of write.

    `find` reads the service. It gets the write and the sent data, and may raise LendingError.
    `reads` is the permission for this read. `compares` is True if `find` needs the sent data.
    `needs_person` is True if only a person can recognise the record, because the service gives no
    key to find it by. `there` and `not_seen` are the titles of these two findings.
    """

    words: str
    reads: str
    find: Callable[[Write, Submitted], CheckResult]
    compares: bool = True
    needs_person: bool = False
    there: str = gettext_noop("The record is as you entered it")
    not_seen: str = WriteFound.NOT_SEEN.label


def get_checker(write: Write) -> OutcomeChecker | None:
    """Return the checker of this write; None if no area checks writes of this operation."""
    known = (one.get(write.operation) for one in collect("outcomes"))
    return next(filter(None, known), None)


def read_submitted(write: Write) -> Submitted | None:
    """Return the sent data; None if they are no longer stored or can't be opened."""
    if not write.submitted or isinstance(write.submitted, Undecryptable):
        return None
    kept = decode(write.submitted.encode())
    return Submitted(kept["sent"], kept["before"]) if isinstance(kept, Mapping) else None


def check_due_writes() -> int:
    """Mark writes of lost senders as unknown, and make the checks that are due.

    Return the number of checks. The worker calls this, so there is no request.
    """
    mark_lost_unknown()
    until, made = time.monotonic() + _RUN_FOR, 0
    due = _list_checked().filter(next_check_at__lte=timezone.now())
    for write in due.order_by("next_check_at")[:_AT_MOST]:
        made += check_if_due(write)
        if time.monotonic() > until:
            break
    return made


def mark_lost_unknown() -> int:
    """Mark at most _AT_MOST writes of lost senders as unknown; return their number."""
    now, marked = timezone.now(), 0
    lost = Write.objects.filter(state=WriteState.SENT, created_at__lte=now - SENDER_LOST)
    for write in lost[:_AT_MOST]:
        with transaction.atomic(durable=True):
            done = Write.objects.filter(pk=write.pk, state=WriteState.SENT).update(
                state=WriteState.UNKNOWN, next_check_at=now
            )
            if done:
                why = gettext_noop("The dashboard stopped while it was waiting for the answer.")
                _audit(write, None, WriteState.UNKNOWN.label, detail=why)
        marked += done
    return marked


def check_if_due(write: Write) -> bool:
    """Check a write if a check is due and not claimed; return True if this call checked it.

    If the write is SENT, lost writes are first marked as unknown.
    """
    if write.state == WriteState.SENT:
        mark_lost_unknown()
        write.refresh_from_db()
    return run_due_check(write, _list_checked(), lambda: _check(write))


def check_now(write: Write) -> None:
    """Check a write at a person's request, unless it was checked a moment ago."""
    latest = write.checks.last()
    if write.found != WriteFound.THERE:
        make_due(write, _list_checked(), latest.taken_at if latest else None)
    check_if_due(write)


def _list_checked() -> QuerySet[Write]:
    return Write.objects.filter(state=WriteState.UNKNOWN)


@in_english
def _check(write: Write) -> None:
    check = read_outcome(write)
    found = _conclude(write, check)
    if found and found != write.found:
        _keep_conclusion(write, found)


@in_english
def read_outcome(write: Write) -> Check:
    """Read the service and return the saved check.

    The check has the finding, or the reason why there is no finding.
    """
    checker, body = get_checker(write), read_submitted(write)
    if checker is None or (checker.compares and body is None):
        why = _(
            "This dashboard has deleted your entry, so the entry can't be compared with the record."
        )
        return write.checks.create(why=why)
    if len(write.subject) >= _LONGEST_SUBJECT:
        why = _("The record's id is too long for this dashboard, so the record can't be found.")
        return write.checks.create(why=why)
    try:
        found = checker.find(write, body or Submitted({}))
    except LendingError as error:
        return write.checks.create(why=error.message)
    except Exception:
        logger.exception("%s: looking failed", write.operation)
        why = _(
            "There was a fault in the dashboard. The administrator can find the fault in the log."
        )
        return write.checks.create(why=why)
    return write.checks.create(
        found=found.found, why=found.why, links=[list(link) for link in found.links]
    )


def _conclude(write: Write, check: Check) -> str:
    """Return the conclusion from the checks; empty if there is no conclusion yet.

    “Not found so far” needs two checks after the quiet time.
    """
    if check.found != WriteFound.NOT_SEEN:
        return str(check.found)
    quiet_from = write.created_at + settings.REPAYMENT_QUIET
    late = write.checks.filter(found=WriteFound.NOT_SEEN, taken_at__gte=quiet_from)
    return str(WriteFound.NOT_SEEN) if late.count() > 1 else ""


def _keep_conclusion(write: Write, found: str) -> None:
    """Save the conclusion, with an audit entry. The state does not change.

    If the record was found, checking ends.
    """
    fields: dict[str, object] = {"found": found}
    if found == WriteFound.THERE:
        fields["next_check_at"] = None
    with transaction.atomic(durable=True):
        rows = Write.objects.filter(pk=write.pk, state=WriteState.UNKNOWN, found=write.found)
        if rows.update(**fields):
            words = _(WriteFound(found).label)
            _audit(write, None, _("checked: %(found)s") % {"found": words})
    write.refresh_from_db()


def knows_record(write: Write, person: User) -> bool:
    """Return True if only a person can recognise the record and this person entered the write."""
    checker = get_checker(write)
    return checker is not None and checker.needs_person and write.person_id == person.pk


def is_for_another(write: Write, person: User) -> bool:
    """Return True if another person must resolve the write, because this person entered it."""
    return write.person_id == person.pk and not knows_record(write, person)


@in_english
def resolve(
    write: Write, resolution: WriteResolution, reason: str, by: User, url: str = ""
) -> bool:
    """Record a person's decision on a write; return False if the result was already known.

    `url` is the address of the record that the write made. Raise OwnWrite if the person entered the
    write, unless only this person can recognise the record. Raise NotIndependent if the person is
    not independent of the person who entered the write.
    """
    if is_for_another(write, by):
        raise OwnWrite
    check_independent(by, write.person)
    with transaction.atomic(durable=True):
        rows = Write.objects.filter(pk=write.pk, state=WriteState.UNKNOWN)
        changes = bind(
            write,
            state=WriteState.RESOLVED,
            resolution=resolution,
            resolution_reason=reason,
            resolved_by=by,
            resolved_at=timezone.now(),
            url=url,
            next_check_at=None,
        )
        done = rows.update(**changes)
        if done:
            # The reason may be personal, so it is only in its encrypted column, not in the trail.
            outcome = _("resolved: %(resolution)s") % {"resolution": resolution.label}
            _audit(write, by, outcome, detail=gettext_noop("with a reason"))
    write.refresh_from_db()
    return done == 1


def list_unconfirmed(app_id: str, person: User) -> list[tuple[str, Write]]:
    """Return the newest 20 writes of an app with an unknown outcome, each with its description.

    A manager gets the writes of all people, and other people get their own writes. Writes that were
    found at the service with the sent data are left out.
    """
    return _describe_some(find_unconfirmed(app_id, person))


def find_unconfirmed(app_id: str, person: User) -> QuerySet[Write]:
    """Return the writes for `list_unconfirmed`, without a limit."""
    lost = Q(state=WriteState.SENT, created_at__lte=timezone.now() - SENDER_LOST)
    rows = Write.objects.filter(lost | Q(state=WriteState.UNKNOWN), app_id=app_id)
    # This condition lets SQLite use an index, which it does not do for the OR.
    rows = rows.filter(state__in=(WriteState.SENT, WriteState.UNKNOWN))
    return _filter_own(person, rows.exclude(found=WriteFound.THERE).order_by("-created_at"))


def list_alarms(app_id: str, person: User) -> list[tuple[str, Write]]:
    """Return the oldest 20 writes with an unseen alarm, each with its description.

    A manager gets the writes of all people, and other people get their own writes.
    """
    return _describe_some(find_alarms(app_id, person))


def find_alarms(app_id: str, person: User) -> QuerySet[Write]:
    """Return the writes for `list_alarms`, without a limit."""
    return _filter_own(person, filter_unseen_alarms(Write.objects.filter(app_id=app_id)))


def _filter_own(person: User, rows: QuerySet[Write]) -> QuerySet[Write]:
    return rows if person.has_perm(RESOLVE) else rows.filter(person=person)


def _describe_some(rows: QuerySet[Write]) -> list[tuple[str, Write]]:
    return [(describe(write), write) for write in rows.select_related("person")[:20]]


def list_waiting(app_id: str, person: User) -> QuerySet[Write]:
    """Return the writes with an alarm that no manager has seen.

    Return none for a person who may not resolve writes.
    """
    if not person.has_perm(RESOLVE, app_id):
        return Write.objects.none()
    return filter_unseen_alarms(Write.objects.filter(app_id=app_id))


def list_undecided(app_id: str, person: User) -> QuerySet[Write]:
    """Return the writes that need a decision and that this person may resolve.

    Leave out the person's own writes, and writes of people who are not independent of this person.
    """
    if not person.has_perm(RESOLVE, app_id):
        return Write.objects.none()
    is_checked = Q(found__in=(*ABANDONED, WriteFound.CANDIDATES)) | Q(found="", next_check_at=None)
    rows = Write.objects.filter(is_checked, state=WriteState.UNKNOWN, app_id=app_id)
    rows = rows.exclude(person=person).exclude(person__in=list_dependent(person))
    return rows.select_related("person")


def mark_alarm_seen(write: Write, by: User) -> None:
    """Mark the alarm of a write as seen, unless it was seen before.

    The lists no longer show the alarm, but the page of the write does.
    """
    with transaction.atomic(durable=True):
        if unconfirmed.mark_alarm_seen(write):
            _audit(write, by, WriteState(write.state).label, detail=gettext_noop("alarm seen"))


def list_permissions(write: Write, person: User) -> list[str]:
    """Return the permissions that a person needs to see a write.

    These are the permission to read the record and, for another person's write, the right to
    resolve.
    """
    checker = get_checker(write)
    reads = [checker.reads] if checker else []
    return reads if write.person_id == person.pk else [RESOLVE, *reads]


def may_see(write: Write, person: User) -> bool:
    """Return True if this person may open the write's page."""
    return person.has_perms(list_permissions(write, person))


def get_message(write: Write) -> StateMessage:
    """Return the message of a write, with the area's title for a plain finding."""
    checker = get_checker(write)
    if checker is None or write.state != WriteState.UNKNOWN:
        return write.message
    titles = {WriteFound.THERE: checker.there, WriteFound.NOT_SEEN: checker.not_seen}
    title = titles.get(WriteFound(write.found)) if write.found else None
    return write.message._replace(title=capfirst(_(title))) if title else write.message


def describe(write: Write) -> str:
    """Return the purpose of a write in words."""
    checker = get_checker(write)
    return _(checker.words) if checker else write.operation


def prune_submitted() -> None:
    """Delete sent data that can't be compared or entered again, because they are personal."""
    old = timezone.now() - idempotency.LIFETIME
    rows = Write.objects.filter(created_at__lt=old).exclude(submitted="")
    rows.exclude(state__in=(WriteState.SENT, WriteState.UNKNOWN)).update(submitted="")


def _audit(write: Write, by: User | None, outcome: str, *, detail: str = "") -> None:
    saved = {WriteState.SAVED: "yes", WriteState.NOT_SAVED: "no"}
    audit.record(
        by,
        write.operation,
        app_id=write.app_id,
        subject=write.subject,
        outcome=outcome,
        saved=saved.get(WriteState(write.state), "unknown"),
        detail=detail,
        url=write.get_absolute_url(),
    )


BADGE = Badge("needs-checking", list_waiting)


def _describe(write: Write) -> Task:
    words = ", ".join(filter(None, (describe(write), write.subject)))
    return Task(
        write.get_absolute_url(),
        words,
        write.created_at,
        read_subject(write).borrower_id,
        by=write.person.username,
    )


DECISION = ToDecide(
    "write",
    "needs-checking",
    UNDECIDED,
    list_undecided,
    describe=_describe,
    button=gettext_lazy("Resolve"),
)
