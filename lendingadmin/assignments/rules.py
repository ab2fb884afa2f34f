"""The rules that give borrowers to officers: what they say, and the walk that follows them.

A rule names a product, or any, and officers among whom the borrowers are spread. The first that
fits one of a borrower's open loans, and of whose officers somebody is there, decides. Borrowers who
have an officer keep them; a changed set of rules assigns again what rules had assigned, and nothing
that a person did.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from lendingadmin import audit
from lendingadmin.portfolio.models import SnapshotLoan
from lendingadmin.portfolio.snapshot_job import find_with_loans
from lendingadmin.staff.models import User
from lendingadmin.worker.walks import SLICE

from .models import Assignment, Basis, RuleSet, RuleWalk
from .permissions import CHANGE, list_officers
from .spread import choose_officer

State = RuleSet.State

# Loans that are looked at in one step.
_STEP = 500
# So long a person waits for a preview before the worker goes on with it; seconds.
PREVIEWED_WITHIN = 0.5


class Rule(NamedTuple):
    """Borrowers with an open loan of `product`, any where it is empty, go to one of `officers`."""

    product: str
    officers: tuple[int, ...]


class Officers(NamedTuple):
    """Who may have borrowers of an app, by number, and a mark that changes when they do."""

    numbers: frozenset[int]
    mark: str


def read_officers(app_id: str) -> Officers:
    """Who may have borrowers now."""
    numbers = frozenset(list_officers(app_id).values_list("pk", flat=True))
    return Officers(numbers, sha256(repr(sorted(numbers)).encode()).hexdigest()[:32])


def read_rules(rule_set: RuleSet | None) -> list[Rule]:
    """The rules of a set in order; none without one."""
    rows = rule_set.rules if rule_set else []
    return [Rule(row["product"], tuple(row["officers"])) for row in rows]


def choose(
    rules: Sequence[Rule], present: Collection[int], borrower_id: str, products: Collection[str]
) -> int | None:
    """The officer whom the rules give a borrower; None where none fits."""
    for rule in rules:
        if not rule.product or rule.product in products:
            chosen = choose_officer(borrower_id, [one for one in rule.officers if one in present])
            if chosen is not None:
                return chosen
    return None


def find_active(app_id: str) -> RuleSet | None:
    """The rules in force."""
    return RuleSet.objects.filter(app_id=app_id, state=State.ACTIVE).first()


def propose(app_id: str, rules: Iterable[Rule], by: User) -> RuleSet:
    """Keep rules as a proposal, and begin to count what they would change."""
    rule_set = RuleSet.objects.create(
        app_id=app_id,
        rules=[{"product": one.product, "officers": list(one.officers)} for one in rules],
        replaces=find_active(app_id),
        created_by=by,
    )
    walk = begin_walk(rule_set, is_preview=True)
    if walk is not None:
        run_slice(walk.pk, PREVIEWED_WITHIN)
    return rule_set


def save(rule_set: RuleSet, by: User) -> bool:
    """Put proposed rules in force; False where others were since they were proposed."""
    try:
        with transaction.atomic():
            own = RuleSet.objects.filter(app_id=rule_set.app_id)
            if rule_set.replaces_id:
                active = own.filter(state=State.ACTIVE, pk=rule_set.replaces_id)
                if not active.update(state=State.REPLACED):
                    return False
            proposed = own.filter(pk=rule_set.pk, state=State.PROPOSED)
            if not proposed.update(state=State.ACTIVE, saved_at=timezone.now()):
                transaction.set_rollback(True)
                return False
            begin_walk(rule_set, is_preview=False)
            audit.record(
                by,
                CHANGE,
                app_id=rule_set.app_id,
                subject=str(rule_set),
                outcome="saved",
                saved="yes",
                url=rule_set.get_absolute_url(),
            )
    except IntegrityError:
        return False
    return True


def begin_walk(rule_set: RuleSet, *, is_preview: bool) -> RuleWalk | None:
    """The walk over the newest count by these rules, begun where it was not; None before a count.

    The first one of a set that comes to its end assigns again what rules had assigned.
    """
    snapshot = find_with_loans(rule_set.app_id)
    if snapshot is None:
        return None
    done = rule_set.walks.filter(is_preview=False, reassigns=True, state=RuleWalk.State.DONE)
    row, _is_new = RuleWalk.objects.get_or_create(
        rule_set=rule_set,
        snapshot=snapshot,
        people=read_officers(rule_set.app_id).mark,
        is_preview=is_preview,
        defaults={"reassigns": is_preview or not done.exists()},
    )
    return row


def run_slice(number: int, seconds: float = SLICE) -> timedelta | None:
    """Look at borrowers for some seconds; how long to wait before going on, None at the end."""
    rows = RuleWalk.objects.select_related("rule_set", "snapshot")
    walk = rows.filter(pk=number, state=RuleWalk.State.RUNNING).first()
    if walk is None:
        return None
    rules, until = read_rules(walk.rule_set), time.monotonic() + seconds
    officers, newest = read_officers(walk.rule_set.app_id), find_with_loans(walk.rule_set.app_id)
    is_current = walk.is_preview or walk.rule_set.state == State.ACTIVE
    if newest != walk.snapshot or officers.mark != walk.people or not is_current:
        # Another walk begins over what is there now.
        _move(walk, state=RuleWalk.State.STOPPED)
        return None
    while _walk_some(walk, rules, officers.numbers):
        if time.monotonic() > until:
            return timedelta(0)
    return None


def _walk_some(walk: RuleWalk, rules: Sequence[Rule], present: frozenset[int]) -> bool:
    """Look at the next borrowers, in one transaction; whether some are left."""
    found = _read_borrowers(walk)
    if not found:
        _move(walk, state=RuleWalk.State.DONE)
        return False
    app_id = walk.rule_set.app_id
    rows = Assignment.objects.filter(app_id=app_id, borrower_id__in=list(found))
    known = {row.borrower_id: row for row in rows}
    new: dict[str, int] = {}
    moved: list[tuple[Assignment, int]] = []
    counts = dict.fromkeys(("assigned", "moved", "stayed", "unmatched"), 0)
    for borrower_id, products in found.items():
        row, chosen = known.get(borrower_id), choose(rules, present, borrower_id, products)
        has_officer = row is not None and row.officer_id in present
        if row and has_officer and not (walk.reassigns and row.basis == Basis.RULE):
            counts["stayed"] += 1
        elif chosen is None or (row and row.officer_id == chosen):
            counts["stayed" if has_officer else "unmatched"] += 1
        else:
            counts["moved" if has_officer else "assigned"] += 1
            if row is None:
                new[borrower_id] = chosen
            else:
                moved.append((row, chosen))
    with transaction.atomic():
        sums = {name: getattr(walk, name) + count for name, count in counts.items()}
        if not _move(walk, after=next(reversed(found)), **sums):
            return False
        if not walk.is_preview:
            _assign(app_id, new, moved)
    return True


def _read_borrowers(walk: RuleWalk) -> dict[str, set[str]]:
    """The next borrowers with open loans, in the order of their ids, with their products."""
    rows = SnapshotLoan.objects.filter(snapshot=walk.snapshot, is_open=True)
    rows = rows.exclude(borrower_id="").order_by("borrower_id")
    some = list(
        rows.filter(borrower_id__gt=walk.after).values_list("borrower_id", "product_id")[:_STEP]
    )
    groups = groupby(some, lambda one: one[0])
    found = {key: {product for _key, product in group} for key, group in groups}
    if len(some) == _STEP:
        # The loans of the last one may go on behind these.
        last, products = found.popitem()
        if not found:
            every = rows.filter(borrower_id=last).order_by().values_list("product_id", flat=True)
            found[last] = products | set(every.distinct())
    return found


def _assign(app_id: str, new: Mapping[str, int], moved: Sequence[tuple[Assignment, int]]) -> None:
    """Write it down where nobody else did meanwhile."""
    now = timezone.now()
    fields: dict[str, Any] = {"basis": Basis.RULE, "assigned_by": None, "assigned_at": now}
    Assignment.objects.bulk_create(
        (
            Assignment(app_id=app_id, borrower_id=key, officer_id=officer, **fields)
            for key, officer in new.items()
        ),
        ignore_conflicts=True,
    )
    for row, officer in moved:
        same = Assignment.objects.filter(
            pk=row.pk, officer_id=row.officer_id, assigned_at=row.assigned_at
        )
        same.update(officer_id=officer, bulk=None, **fields)


def _move(walk: RuleWalk, **fields: Any) -> bool:
    """Claim the next step; False where another has."""
    rows = RuleWalk.objects.filter(pk=walk.pk, version=walk.version, state=RuleWalk.State.RUNNING)
    fields |= {"version": walk.version + 1, "heartbeat_at": timezone.now()}
    if not rows.update(**fields):
        return False
    for name, value in fields.items():
        setattr(walk, name, value)
    return True
