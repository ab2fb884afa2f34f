"""Commands for assignments and hand-overs. The audit trail records each change."""

from datetime import date, datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.staff.models import User
from lendingadmin.lending.ids import account_id as make_account_id

from .models import Assignment, Basis, HandOver
from .permissions import CHANGE, HAND_OVER


class Seen(NamedTuple):
    """The assignment that a person saw: the officer's primary key and the time of assignment."""

    officer_id: int
    assigned_at: datetime


def find_assignment(app_id: str, borrower_id: str) -> Assignment | None:
    """Return the assignment of a borrower; None if there is none."""
    rows = Assignment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    return rows.select_related("officer", "assigned_by").first()


def assign(
    app_id: str, borrower_id: str, officer: User | None, by: User, seen: Seen | None
) -> bool:
    """Assign a borrower to an officer, or to none; return False if the assignment has changed.

    `seen` is the assignment that the person saw; None if the borrower had no officer. If the
    assignment has changed since then, it is not overwritten.
    """
    with transaction.atomic():
        if not _move(app_id, borrower_id, officer, by, seen):
            return False
        audit.record(
            by,
            CHANGE,
            app_id=app_id,
            subject=str(make_account_id(borrower_id)),
            outcome="assigned" if officer else "taken_away",
            saved="yes",
            detail=officer.get_username() if officer else "",
        )
    return True


def _move(app_id: str, borrower_id: str, officer: User | None, by: User, seen: Seen | None) -> bool:
    rows = Assignment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    fields = {"basis": Basis.HAND, "assigned_by": by, "assigned_at": timezone.now(), "bulk": None}
    if seen is not None:
        same = rows.filter(officer_id=seen.officer_id, assigned_at=seen.assigned_at)
        return bool(same.update(officer=officer, **fields) if officer else same.delete()[0])
    if officer is None:
        return not rows.exists()
    try:
        with transaction.atomic():
            Assignment.objects.create(
                app_id=app_id, borrower_id=borrower_id, officer=officer, **fields
            )
    except IntegrityError:
        return False
    return True


def hand_over(
    app_id: str, officer: User, stand_in: User, first_day: date, last_day: date, by: User
) -> HandOver | None:
    """Save a hand-over; return None if the officer has another hand-over on some of these days.

    Both days are included, and are in the lender's time zone.
    """
    others = HandOver.objects.filter(app_id=app_id, officer=officer, ended_at=None)
    try:
        with transaction.atomic():
            # The lock makes hand-overs of one officer wait for each other; only the first is saved.
            User.objects.select_for_update(no_key=True).get(pk=officer.pk)
            if others.filter(first_day__lte=last_day, last_day__gte=first_day).exists():
                return None
            row = HandOver.objects.create(
                app_id=app_id,
                officer=officer,
                stand_in=stand_in,
                first_day=first_day,
                last_day=last_day,
                created_by=by,
            )
            audit.record_about(row, by, HAND_OVER, "handed_over", detail=_describe(row))
    except IntegrityError:
        return None
    return row


def end_hand_over(row: HandOver, by: User) -> bool:
    """End a hand-over early; return False if a person has already ended it."""
    starts = HandOver.objects.filter(ended_at=None)
    fields = {"ended_at": timezone.now(), "ended_by": by}
    return transition(
        row, starts, fields, by=by, action=HAND_OVER, outcome="ended", detail=_describe(row)
    )


def _describe(row: HandOver) -> str:
    people = f"{row.officer.get_username()} → {row.stand_in.get_username()}"
    return f"{people}, {row.first_day} – {row.last_day}"
