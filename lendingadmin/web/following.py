"""Finding out what became of writes whose answer is missing, by what the service shows since.

Each area lends its way of looking, so that this module need not know the areas. A look is a read;
nothing is ever sent again. What is found stands beside the state: only a late answer, or a person
with a reason, ends an unknown.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import get_resolver
from django.utils import timezone

from lendingadmin import audit
from lendingadmin.lending.codec import decode
from lendingadmin.lending.errors import LendingError
from lendingadmin.sealing import Unopened
from lendingadmin.staff.models import User

from . import onetime
from .models import Look, Write
from .polling import DELAYS

logger = logging.getLogger(__name__)

SETTLE = "dashboard.repayments.settle"
# Past this, the whole-call deadline of a sender is long over: it died, or its machine did.
SENDER_LOST = timedelta(seconds=90)
WATCH_FOR = timedelta(hours=24)
# A look that a person asks for comes this long after the last one at the earliest.
_APART = timedelta(seconds=2)
# Seconds after which a run takes no further look: a service that hangs must not hold up the worker.
_PATIENCE = 60.0
_AT_MOST = 200
_LOST = "Its sender stopped while waiting for the answer."
_NOT_KEPT = "What was to be saved is not kept any more, so nothing can be compared."
_OWN_FAULT = "A fault of the dashboard; whoever runs it finds it in the log."

_TOO_LONG = "Its id is too long to be kept here whole, so it can't be looked for."
_LONGEST_SUBJECT = 300


class Meant(NamedTuple):
    """What was sent, and for a change what its fields were before."""

    sent: Mapping[str, object]
    before: Mapping[str, object] = {}


class Finding(NamedTuple):
    """What a look found, why in words for people, and the records that it leads to."""

    found: Write.Found
    why: str
    links: tuple[tuple[str, str], ...] = ()


class Way(NamedTuple):
    """How an area finds out what became of one kind of write.

    `find` reads the service; it is given the write and what was meant, and raises LendingError.
    `reads` is the permission that such a read needs. `compares` is whether it needs what was meant,
    `to_be_told` whether only a person can say which record it is: the service has no natural key.
    `there` and `not_seen` are what the two plain findings are called.
    """

    words: str
    reads: str
    find: Callable[[Write, Meant], Finding]
    compares: bool = True
    to_be_told: bool = False
    there: str = "It is there, as you entered it"
    not_seen: str = "Not found so far"


_WAYS: dict[str, Way] = {}


def lend(operation: str, way: Way) -> None:
    """Let writes of this operation be followed; an area calls it where its views are."""
    _WAYS[operation] = way


def way_of(write: Write) -> Way | None:
    """How this write is followed; None where no area says."""
    # A worker serves no page: it imports the areas only where the addresses are asked for.
    _ = get_resolver().url_patterns
    return _WAYS.get(write.operation)


def meant(write: Write) -> Meant | None:
    """What was to be saved; None where that is not kept, or can't be opened, any more."""
    if not write.meant or isinstance(write.meant, Unopened):
        return None
    kept = decode(write.meant.encode())
    return Meant(kept["sent"], kept["before"]) if isinstance(kept, Mapping) else None


def follow_up() -> int:
    """Sweep up what dead senders left, and take the looks that are due.

    For a worker: needs no request. Returns how many looks were taken.
    """
    sweep()
    until, taken = time.monotonic() + _PATIENCE, 0
    due = Write.objects.filter(state=Write.State.UNKNOWN, next_look_at__lte=timezone.now())
    for write in due.order_by("next_look_at")[:_AT_MOST]:
        taken += look_if_due(write)
        if time.monotonic() > until:
            break
    return taken


def sweep() -> int:
    """What senders that died left behind is unknown. Returns how many that were."""
    now, swept = timezone.now(), 0
    for write in Write.objects.filter(state=Write.State.SENT, created_at__lte=now - SENDER_LOST):
        with transaction.atomic(durable=True):
            done = Write.objects.filter(pk=write.pk, state=Write.State.SENT).update(
                state=Write.State.UNKNOWN, next_look_at=now
            )
            if done:
                _audit(write, None, Write.State.UNKNOWN.label, detail=_LOST)
        swept += done
    return swept


def look_if_due(write: Write) -> bool:
    """Take the next look if it is due and nobody else has claimed it."""
    if write.state == Write.State.SENT:
        sweep()
        write.refresh_from_db()
    if not _claim(write):
        return False
    look = _look(write)
    concluded = _conclusion(write, look)
    if concluded and concluded != write.found:
        _conclude(write, concluded, look)
    if _is_over(write):
        # Only now: whoever died on the way to the last look leaves it to be taken again.
        rows = Write.objects.filter(pk=write.pk, looks_taken=write.looks_taken)
        rows.update(next_look_at=None)
        write.refresh_from_db()
    return True


def look_now(write: Write) -> None:
    """Take a look because a person asked for one, unless one was taken this very moment."""
    now, latest = timezone.now(), write.looks.last()
    if write.found != Write.Found.THERE and (not latest or now - latest.taken_at >= _APART):
        rows = Write.objects.filter(pk=write.pk, state=Write.State.UNKNOWN)
        rows.update(next_look_at=now)
        write.refresh_from_db()
    look_if_due(write)


def _claim(write: Write) -> bool:
    """Take this look for ourselves and put the next one on the calendar, in one step."""
    now = timezone.now()
    if write.next_look_at is None or write.next_look_at > now:
        return False
    rows = Write.objects.filter(
        pk=write.pk,
        state=Write.State.UNKNOWN,
        looks_taken=write.looks_taken,
    )
    claimed = rows.update(
        looks_taken=write.looks_taken + 1, next_look_at=_next_look(write.looks_taken + 1, write)
    )
    write.refresh_from_db()
    return claimed == 1


def _is_over(write: Write) -> bool:
    return timezone.now() - write.created_at > WATCH_FOR


def _next_look(taken: int, write: Write) -> datetime:
    """When to look again: soon at first, then ever later; the last one only if it was cut off."""
    now = timezone.now()
    age = now - write.created_at
    if _is_over(write):
        return now + SENDER_LOST
    return now + max(timedelta(seconds=DELAYS[min(taken, len(DELAYS) - 1)]), age / 4)


def _look(write: Write) -> Look:
    """Look at the service and keep what it shows; a fault is kept as its sentence."""
    way, body = way_of(write), meant(write)
    if way is None or (way.compares and body is None):
        return write.looks.create(why=_NOT_KEPT)
    if len(write.subject) >= _LONGEST_SUBJECT:
        return write.looks.create(why=_TOO_LONG)
    try:
        found = way.find(write, body or Meant({}))
    except LendingError as error:
        return write.looks.create(why=error.message)
    except Exception:
        logger.exception("%s: looking failed", write.operation)
        return write.looks.create(why=_OWN_FAULT)
    return write.looks.create(
        found=found.found, why=found.why, links=[list(link) for link in found.links]
    )


def _conclusion(write: Write, look: Look) -> str:
    """What the looks add up to. “Not found so far” takes two after the quiet time."""
    if look.found != Write.Found.NOT_SEEN:
        return str(look.found)
    quiet_from = write.created_at + settings.REPAYMENT_QUIET
    late = write.looks.filter(found=Write.Found.NOT_SEEN, taken_at__gte=quiet_from)
    return str(Write.Found.NOT_SEEN) if late.count() > 1 else ""


def _conclude(write: Write, found: str, look: Look) -> None:
    """Write the conclusion beside the state; once it is there, nobody looks any more."""
    fields: dict[str, object] = {"found": found}
    if found == Write.Found.THERE:
        fields["next_look_at"] = None
    with transaction.atomic(durable=True):
        rows = Write.objects.filter(pk=write.pk, state=Write.State.UNKNOWN, found=write.found)
        if rows.update(**fields):
            # Why it was found so may name places of a record, never what stands in them.
            _audit(write, None, f"by evidence: {Write.Found(found).label}", detail=look.why)
    write.refresh_from_db()


def settle(write: Write, verdict: Write.Verdict, reason: str, by: User, url: str = "") -> bool:
    """A person decides what became of it; `url` is the record that it is. False if it was known."""
    with transaction.atomic(durable=True):
        rows = Write.objects.filter(pk=write.pk, state=Write.State.UNKNOWN)
        done = rows.update(
            state=Write.State.SETTLED,
            settled_as=verdict,
            settled_reason=reason,
            settled_by=by,
            settled_at=timezone.now(),
            url=url,
            next_look_at=None,
        )
        if done:
            _audit(write, by, f"settled: {verdict.label}", detail=reason)
    write.refresh_from_db()
    return done == 1


def in_doubt(app_id: str, person: User | None) -> list[Write]:
    """What of an app is not known yet, newest first; of one person, or of all where None.

    What was found just as it was to be saved waits for nobody.
    """
    lost = Q(state=Write.State.SENT, created_at__lte=timezone.now() - SENDER_LOST)
    rows = Write.objects.filter(lost | Q(state=Write.State.UNKNOWN), app_id=app_id)
    rows = rows.exclude(found=Write.Found.THERE).select_related("person")
    return list((rows.filter(person=person) if person else rows).order_by("-created_at")[:20])


def may_see(write: Write, person: User) -> bool:
    """Whether this person may open the write's page: its own person, and managers."""
    return write.person_id == person.pk or person.has_perm(SETTLE)


def words_of(write: Write) -> str:
    """What was to be done, in words."""
    way = way_of(write)
    return way.words if way else write.operation


def forget() -> None:
    """What was entered is personal: it goes once it can't be compared or entered again."""
    old = timezone.now() - onetime.LIFETIME
    rows = Write.objects.filter(created_at__lt=old).exclude(meant="")
    rows.exclude(state__in=(Write.State.SENT, Write.State.UNKNOWN)).update(meant="")


def _audit(write: Write, by: User | None, outcome: str, *, detail: str) -> None:
    audit.record(
        by,
        write.operation,
        app_id=write.app_id,
        subject=write.subject,
        outcome=outcome,
        saved="unknown",
        detail=detail,
    )
