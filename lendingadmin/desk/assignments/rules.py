"""Rules that assign borrowers to officers, and the walk that applies them.

A rule names a product, or any product, and the officers who share the borrowers. A rule matches a
borrower if one of the borrower's open loans has the product and one of the rule's officers may
still have borrowers. The first rule that matches decides. A borrower stays with an officer who may
still have borrowers. When the rules change, they reassign only borrowers that rules assigned, never
borrowers that a person assigned.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import blake2b, sha256
from itertools import groupby
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.walks import SLICE
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans

from .models import Assignment, Basis, RuleSet, RuleWalk
from .permissions import CHANGE, list_officers

State = RuleSet.State

# The loans that one step reads.
LOANS_OF_A_STEP = 500
_READ_AT_ONCE = 5_000
COUNTS = ("assigned", "moved", "stayed", "unmatched")


class Rule(NamedTuple):
    """Rule: borrowers with an open loan of `product` go to one of `officers`.

    An empty `product` means any product.
    """

    product: str
    officers: tuple[int, ...]


class Officers(NamedTuple):
    """The ids of the people who may have borrowers of an app, and a fingerprint of these ids."""

    numbers: frozenset[int]
    mark: str


class _Now(NamedTuple):
    """A borrower with the present officer and the basis; both are None without an officer."""

    borrower_id: str
    officer_id: int | None = None
    basis: str | None = None


def read_officers(app_id: str) -> Officers:
    """Return the people who may have borrowers at present."""
    numbers = frozenset(list_officers(app_id).values_list("pk", flat=True))
    return Officers(numbers, sha256(repr(sorted(numbers)).encode()).hexdigest()[:32])


def read_rules(rule_set: RuleSet | None) -> list[Rule]:
    """Return the rules of a set in order; empty if there is no set."""
    rows = rule_set.rules if rule_set else []
    return [Rule(row["product"], tuple(row["officers"])) for row in rows]


class Effect(NamedTuple):
    """The effect of rules: the numbers of borrowers with an open loan that would change or not.

    The numbers are None before the first snapshot. `replaces` is the set of rules in force.
    `fingerprint` changes if these rules, the rules in force, the snapshot, the officers, or the
    loans or the officer of a borrower change.
    """

    assigned: int | None
    moved: int | None
    stayed: int | None
    unmatched: int | None
    replaces: RuleSet | None
    fingerprint: str


def choose(
    rules: Sequence[Rule], present: Collection[int], borrower_id: str, products: Collection[str]
) -> int | None:
    """Return the key of the officer whom the rules choose for a borrower; None if no rule fits.

    `present` are the primary keys of the officers who may have borrowers. `products` are the
    products of the borrower's open loans.
    """
    for rule in rules:
        if not rule.product or rule.product in products:
            chosen = choose_officer(borrower_id, [one for one in rule.officers if one in present])
            if chosen is not None:
                return chosen
    return None


def find_active(app_id: str) -> RuleSet | None:
    """Return the rules in force; None if there are none."""
    return RuleSet.objects.filter(app_id=app_id, state=State.ACTIVE).first()


def count_effect(app_id: str, rules: Sequence[Rule]) -> Effect:
    """Return the effect that these rules would have if they were saved, with one query."""
    snapshot, replaces = find_with_loans(app_id), find_active(app_id)
    officers = read_officers(app_id)
    seen = (list(rules), replaces and replaces.pk, snapshot and snapshot.pk, officers.mark)
    mark = sha256(repr(seen).encode())
    if snapshot is None:
        return Effect(None, None, None, None, replaces, mark.hexdigest())
    counts = dict.fromkeys(COUNTS, 0)
    own = Assignment.objects.filter(app_id=app_id, borrower_id=OuterRef("borrower_id"))
    rows = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True).exclude(borrower_id="")
    held = (Subquery(own.values("officer")), Subquery(own.values("basis")))
    read = rows.order_by("borrower_id").values_list("borrower_id", *held, "product_id")
    for key, loans in groupby(read.iterator(chunk_size=_READ_AT_ONCE), lambda one: one[:3]):
        products = {loan[3] for loan in loans}
        mark.update(repr((key, sorted(products))).encode())
        name, _chosen = _decide(rules, officers.numbers, _Now(*key), products, reassigns=True)
        counts[name] += 1
    return Effect(**counts, replaces=replaces, fingerprint=mark.hexdigest())


def save(app_id: str, rules: Iterable[Rule], replaces: RuleSet | None, by: User) -> RuleSet | None:
    """Put rules in force and begin their walk, with an entry in the audit trail.

    `replaces` is the set that was in force when the changes were counted. Return None if that set
    is not in force any more.
    """
    try:
        with transaction.atomic():
            own = RuleSet.objects.filter(app_id=app_id, state=State.ACTIVE)
            if replaces and not own.filter(pk=replaces.pk).update(state=State.REPLACED):
                return None
            rule_set = RuleSet.objects.create(
                app_id=app_id,
                rules=[{"product": one.product, "officers": list(one.officers)} for one in rules],
                replaces=replaces,
                created_by=by,
            )
            begin_walk(rule_set)
            audit.record_about(rule_set, by, CHANGE, "saved")
    except IntegrityError:
        return None
    return rule_set


def begin_walk(rule_set: RuleSet) -> RuleWalk | None:
    """Return the walk of these rules through the newest snapshot; begin one if there is none.

    Return None before the first snapshot. Until the first walk of the set is complete, a walk also
    reassigns borrowers that older rules assigned.
    """
    snapshot = find_with_loans(rule_set.app_id)
    if snapshot is None:
        return None
    done = rule_set.walks.filter(reassigns=True, state=RuleWalk.State.DONE)
    row, _is_new = RuleWalk.objects.get_or_create(
        rule_set=rule_set,
        snapshot=snapshot,
        people=read_officers(rule_set.app_id).mark,
        defaults={"reassigns": not done.exists()},
    )
    return row


def run_slice(number: int) -> timedelta | None:
    """Process borrowers for some seconds.

    Return the wait before the next slice; None at the end.
    """
    rows = RuleWalk.objects.select_related("rule_set", "snapshot")
    walk = rows.filter(pk=number, state=RuleWalk.State.RUNNING).first()
    if walk is None:
        return None
    rules, until = read_rules(walk.rule_set), time.monotonic() + SLICE
    officers, newest = read_officers(walk.rule_set.app_id), find_with_loans(walk.rule_set.app_id)
    is_current = walk.rule_set.state == State.ACTIVE
    if newest != walk.snapshot or officers.mark != walk.people or not is_current:
        # The next walk begins with the newest snapshot, and with the present officers and rules.
        walk.step(state=RuleWalk.State.STOPPED)
        return None
    while _walk_some(walk, rules, officers.numbers):
        if time.monotonic() > until:
            return timedelta(0)
    return None


def _decide(
    rules: Sequence[Rule],
    present: Collection[int],
    now: _Now,
    products: Collection[str],
    *,
    reassigns: bool,
) -> tuple[str, int | None]:
    """Return the name of the counter for a borrower, and the officer to assign or None."""
    is_held = now.officer_id in present
    if is_held and not (reassigns and now.basis == Basis.RULE):
        return "stayed", None
    chosen = choose(rules, present, now.borrower_id, products)
    if chosen is None or now.officer_id == chosen:
        return "stayed" if is_held else "unmatched", None
    return "moved" if is_held else "assigned", chosen


def _walk_some(walk: RuleWalk, rules: Sequence[Rule], present: frozenset[int]) -> bool:
    """Process the next borrowers in one transaction; return True if some are left."""
    found = _read_borrowers(walk)
    if not found:
        walk.step(state=RuleWalk.State.DONE)
        return False
    app_id = walk.rule_set.app_id
    rows = Assignment.objects.filter(app_id=app_id, borrower_id__in=list(found))
    assigned = {row.borrower_id: row for row in rows}
    new: dict[str, int] = {}
    moved: list[tuple[Assignment, int]] = []
    counts = dict.fromkeys(COUNTS, 0)
    for borrower_id, products in found.items():
        row = assigned.get(borrower_id)
        now = _Now(borrower_id, row.officer_id, row.basis) if row else _Now(borrower_id)
        name, chosen = _decide(rules, present, now, products, reassigns=walk.reassigns)
        counts[name] += 1
        if chosen is not None and row:
            moved.append((row, chosen))
        elif chosen is not None:
            new[borrower_id] = chosen
    with transaction.atomic():
        sums = {name: getattr(walk, name) + count for name, count in counts.items()}
        if not walk.step(after=next(reversed(found)), **sums):
            return False
        save_assignments(app_id, new, moved)
    return True


def _read_borrowers(walk: RuleWalk) -> dict[str, set[str]]:
    """Return the next borrowers with open loans, in the order of their ids, and their products."""
    rows = SnapshotLoan.objects.filter(snapshot=walk.snapshot, is_open=True)
    rows = rows.exclude(borrower_id="").order_by("borrower_id")
    some = list(
        rows.filter(borrower_id__gt=walk.after).values_list("borrower_id", "product_id")[
            :LOANS_OF_A_STEP
        ]
    )
    groups = groupby(some, lambda one: one[0])
    found = {key: {product for _key, product in group} for key, group in groups}
    if len(some) == LOANS_OF_A_STEP:
        # The last borrower may have more loans after these rows, so the next step reads this
        # borrower.
        last, products = found.popitem()
        if not found:
            every = rows.filter(borrower_id=last).order_by().values_list("product_id", flat=True)
            found[last] = products | set(every.distinct())
    return found


def save_assignments(
    app_id: str, new: Mapping[str, int], moved: Sequence[tuple[Assignment, int]]
) -> None:
    """Save assignments by rule. Leave out borrowers whose assignment has changed."""
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


def choose_officer(borrower_id: str, officer_ids: Sequence[int]) -> int | None:
    """Return the officer among `officer_ids` for a borrower; None if there are no officers.

    The id of each officer is hashed with the borrower's id, and the officer with the highest hash
    is chosen. So all officers get similar shares, in any order of `officer_ids`. When an officer
    leaves or joins, no borrower moves between the other officers.
    """

    def hash_with(officer_id: int) -> bytes:
        salt = officer_id.to_bytes(8, "big")
        return blake2b(borrower_id.encode(), digest_size=8, salt=salt).digest()

    return max(officer_ids, key=hash_with, default=None)
