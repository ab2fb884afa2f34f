"""Changes to people that a manager can't make alone while the rule “Second manager” is on.

A new role waits for a second manager. Other changes to a person who manages people wait if they
could give one manager access to the account of another: removed roles, removed second factors and
set-up links. A change that only removes access does not wait. Examples are a removed role of a
person who manages no people, ended sessions and a deactivated account. The commands of the second
manager are in `deciding`.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from lendingadmin.core.policies.deciding import is_second_on
from lendingadmin.core.staff.independence import find_dependence, list_dependent
from lendingadmin.core.staff.models import AppRole, PersonChange, User
from lendingadmin.core.staff.reach import Move, gives_managing, list_apps, list_people
from lendingadmin.core.staff.roles import MANAGE_PEOPLE

# Time in which a change must be approved. It is short, so that the managers still know the reason.
APPROVE_WITHIN = timedelta(days=3)
NO_OTHER_MANAGER = gettext_lazy(
    "A second manager must approve this change, but there is no other manager. The "
    "administrator can add a manager with “manage.py createsuperuser”."
)


def manages_people(person: User) -> bool:
    """Return True if the person may manage people while the account is active.

    The right comes from a role, or the person is a superuser.
    """
    held = (names for roles in person.held_roles.values() for names in roles.values())
    return person.is_superuser or any(MANAGE_PEOPLE in names for names in held)


def list_waiting(moves: Iterable[Move], person: User | None) -> list[Move]:
    """Return the moves that need a second manager; empty if the rule “Second manager” is off.

    A given role needs a second manager. A removed role needs a second manager only if the person
    manages people.
    """
    if not is_second_on():
        return []
    is_manager = person is not None and manages_people(person)
    return [move for move in moves if move.is_given or is_manager]


def needs_second(person: User) -> bool:
    """Return True if changes that give others access to this account need a second manager."""
    return is_second_on() and manages_people(person)


def list_deciders(by: User, person: User | None, app_ids: Iterable[str] = ()) -> list[User]:
    """Return the people who may approve this manager's request about a person, who may be new.

    These people manage people in all apps of `app_ids`, have the person within their reach, and are
    independent of the manager who asks. The person cannot approve the request.
    """
    others = User.objects.with_perm(MANAGE_PEOPLE).exclude(pk=by.pk).order_by("username")
    others = others.exclude(pk__in=list_dependent(by))
    if person is not None:
        others = others.exclude(pk=person.pk)
    return [one for one in others if _reaches(one, person, set(app_ids))]


def _reaches(manager: User, person: User | None, app_ids: set[str]) -> bool:
    if not app_ids <= {app.app_id for app in list_apps(manager)}:
        return False
    return person is None or list_people(manager).filter(pk=person.pk).exists()


def find_obstacle(by: User, person: User | None, moves: Iterable[Move] = ()) -> str:
    """Return a sentence if no manager could approve this request; else an empty text."""
    if list_deciders(by, person, {move.app_id for move in moves}):
        return ""
    return str(NO_OTHER_MANAGER)


def filter_waiting(changes: QuerySet[PersonChange]) -> QuerySet[PersonChange]:
    """Return the changes that can still be approved or declined."""
    since = timezone.now() - APPROVE_WITHIN
    return changes.filter(state=PersonChange.State.WAITING, asked_at__gt=since)


def is_role_asked_for(person: User) -> bool:
    """Return True if a change to this person's roles waits for a second manager."""
    return filter_waiting(person.changes.filter(kind=PersonChange.Kind.ROLES)).exists()


def is_managing_asked_for(person: User) -> bool:
    """Return True if a role that lets this person manage people waits for a second manager."""
    waiting = filter_waiting(person.changes.filter(kind=PersonChange.Kind.ROLES))
    return any(gives_managing(read_moves(one)) for one in waiting)


class Waiting(NamedTuple):
    """A waiting change, with the rights of one manager."""

    change: PersonChange
    words: str
    may_approve: bool
    dependence: str
    is_own: bool


def list_changes(manager: User, person: User | None = None) -> list[Waiting]:
    """Return the waiting changes to this manager's people, or to one person, oldest first."""
    rows = filter_waiting(PersonChange.objects.filter(person__in=list_people(manager)))
    if person is not None:
        rows = rows.filter(person=person)
    return [
        Waiting(
            one,
            describe_change(one),
            may_approve(manager, one),
            find_dependence(manager, one.asked_by),
            one.asked_by_id == manager.pk,
        )
        for one in rows.select_related("person", "asked_by").order_by("asked_at")
    ]


def count_waiting(manager: User) -> int:
    """Count the changes that this manager may approve, in a fixed number of queries."""
    rows = filter_waiting(PersonChange.objects.filter(person__in=list_people(manager)))
    rows = rows.exclude(asked_by=manager).exclude(person=manager)
    moves = list(rows.exclude(asked_by__in=list_dependent(manager)).values_list("moves", flat=True))
    roles = set(Group.objects.values_list("pk", flat=True)) if moves else set()
    own = {app.app_id for app in list_apps(manager)}
    return sum(
        all(app_id in own for _sign, app_id, key in asked if key in roles) for asked in moves
    )


def may_approve(manager: User, change: PersonChange) -> bool:
    """Return True if this manager may approve the change.

    Another manager must have requested the change, and the person must not be this manager. The
    person and the apps must be within this manager's reach. The two managers must be independent of
    each other.
    """
    if manager.pk in (change.asked_by_id, change.person_id):
        return False
    app_ids = {move.app_id for move in read_moves(change)}
    is_within = _reaches(manager, change.person, app_ids)
    return is_within and not find_dependence(manager, change.asked_by)


def is_still_asked(change: PersonChange) -> bool:
    """Return True if the manager who requested this change still has the right to do so."""
    app_ids = {move.app_id for move in read_moves(change)}
    return change.asked_by.is_active and _reaches(change.asked_by, change.person, app_ids)


def read_moves(change: PersonChange) -> list[Move]:
    """Return the requested moves of roles; moves of deleted roles are left out."""
    roles = Group.objects.in_bulk([key for _sign, _app_id, key in change.moves])
    return [
        Move(sign == "+", app_id, roles[key]) for sign, app_id, key in change.moves if key in roles
    ]


def describe_change(change: PersonChange) -> str:
    """Return the request in words: “roles (+officer in kenya)”."""
    words = str(PersonChange.Kind(change.kind).label)
    moves = ", ".join(describe_moves(read_moves(change)))
    return f"{words} ({moves})" if moves else words


def describe_moves(moves: Iterable[Move]) -> list[str]:
    """Return moves of roles in words, given roles first: “+officer in kenya”."""
    several = len(settings.LENDING_APPS) > 1
    named = sorted(
        (not one.is_given, str(AppRole(app_id=one.app_id, role=one.role) if several else one.role))
        for one in moves
    )
    return [f"{'-' if is_taken else '+'}{name}" for is_taken, name in named]
