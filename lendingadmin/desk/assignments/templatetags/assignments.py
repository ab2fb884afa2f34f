"""Template tags of assignments.

`{% officer_of borrower_id as assigned %}`: the officer of a borrower, and the stand-in.

`{% hand_overs_of_person as found %}`: the person's hand-overs of today and of the next week.
`{% officers_of borrowers as officers %}`: the officers of many borrowers, by their ids.
`{% may_assign as may %}`: whether the person may assign borrowers to officers.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple

from django import template
from django.db.models import Q
from django.template import Context
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.desk.assignments.models import Assignment, HandOver
from lendingadmin.desk.assignments.permissions import CHANGE, HAND_OVER, HOLD, list_officers
from lendingadmin.desk.assignments.services import find_assignment
from lendingadmin.web.lists import as_id

register = template.Library()

_SOON = timedelta(days=7)


class Assigned(NamedTuple):
    """The officer and the stand-in of a borrower, and the right to change the officer.

    `is_gone` is True if the officer may no longer have borrowers in this app. `may_change` is True
    if the person may assign the borrower to another officer.
    """

    row: Assignment | None
    stand_in: HandOver | None
    is_gone: bool
    may_change: bool


@register.simple_tag(takes_context=True)
def officer_of(context: Context, borrower_id: object) -> Assigned | None:
    """Return the officer of a borrower; None for people who may neither call nor assign."""
    person = context["request"].user
    may_change = person.has_perm(CHANGE)
    if not isinstance(borrower_id, str) or not (may_change or person.has_perm(HOLD)):
        return None
    row = find_assignment(person.app_id, borrower_id)
    if row is None:
        return Assigned(None, None, is_gone=False, may_change=may_change)
    held = HandOver.objects.in_effect(person.app_id, _get_today(person.app_id))
    is_gone = not list_officers(person.app_id).filter(pk=row.officer_id).exists()
    stand_in = held.filter(officer_id=row.officer_id).select_related("stand_in").first()
    return Assigned(row, stand_in, is_gone, may_change)


@register.simple_tag(takes_context=True)
def officers_of(context: Context, borrowers: Iterable[Any]) -> dict[str, str]:
    """Return the officers' user names by borrower id, in one query.

    For people who may neither call nor assign, return an empty dict.
    """
    person = context["request"].user
    if not (person.has_perm(CHANGE) or person.has_perm(HOLD)):
        return {}
    ids = [as_id(getattr(one, "borrower_id", "")) for one in borrowers]
    rows = Assignment.objects.filter(app_id=person.app_id, borrower_id__in=filter(None, ids))
    return dict(rows.values_list("borrower_id", "officer__username"))


@register.simple_tag(takes_context=True)
def hand_overs_of_person(context: Context) -> list[HandOver]:
    """Return the hand-overs from or to the person, of today and the next week.

    For a person without the right to hand over, return an empty list.
    """
    person = context["request"].user
    if not person.has_perm(HAND_OVER):
        return []
    today = _get_today(person.app_id)
    rows = HandOver.objects.filter(
        Q(officer=person) | Q(stand_in=person),
        app_id=person.app_id,
        ended_at=None,
        last_day__gte=today,
        first_day__lte=today + _SOON,
    )
    return list(rows.select_related("officer", "stand_in").order_by("last_day", "id"))


@register.simple_tag(takes_context=True)
def may_assign(context: Context) -> bool:
    """Return True if the person may assign borrowers."""
    return bool(context["request"].user.has_perm(CHANGE))


def _get_today(app_id: str) -> date:
    return timezone.localdate(timezone=lending_app(app_id).zone)
