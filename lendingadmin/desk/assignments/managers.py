"""Querysets of assignments and hand-overs: `Assignment.objects`, `HandOver.objects`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Self

from django.apps import apps
from django.db.models import QuerySet

if TYPE_CHECKING:
    from .models import Assignment, HandOver


class AssignmentQuerySet(QuerySet["Assignment"]):
    """Queries for the assignments of borrowers to officers."""

    def of_person(self, app_id: str, person_id: int, day: date) -> Self:
        """Return the assignments for a person's work on a day in the lender's zone.

        The result has the person's own assignments, and the assignments of each officer whom the
        person covers on that day.
        """
        away = _list_stood_in(app_id, person_id, day)
        # The query has the officers' primary keys and no subquery, so the database uses the index
        # of officers.
        people = [person_id, *away.values_list("officer_id", flat=True)]
        return self.filter(app_id=app_id, officer_id__in=people)

    def list_borrower_ids(
        self, app_id: str, person_id: int, day: date
    ) -> QuerySet[Assignment, str]:
        """Return the ids of the borrowers of `of_person`, for `borrower_id__in`."""
        rows = self.of_person(app_id, person_id, day)
        return rows.values_list("borrower_id", flat=True)

    def list_stood_in(self, app_id: str, person_id: int, day: date) -> dict[int, str]:
        """Return the officers whom a person covers on a day: user names by primary key."""
        rows = _list_stood_in(app_id, person_id, day)
        return dict(rows.values_list("officer_id", "officer__username"))


class HandOverQuerySet(QuerySet["HandOver"]):
    def in_effect(self, app_id: str, day: date) -> Self:
        """Return the hand-overs of an app that apply on a day in the lender's zone."""
        rows = self.filter(app_id=app_id, ended_at=None)
        return rows.filter(first_day__lte=day, last_day__gte=day)


def _list_stood_in(app_id: str, person_id: int, day: date) -> QuerySet[HandOver]:
    rows: HandOverQuerySet = apps.get_model("assignments", "HandOver").objects.all()
    return rows.in_effect(app_id, day).filter(stand_in_id=person_id)
