"""People and roles within a manager's reach.

In the apps in which managers manage people, they may give the rights of `lending`, of `dashboard`
and of the user model. Superusers, people with other permissions and people with a role in another
app have more rights. Such people are not visible to the manager, who could otherwise take over
their accounts.
"""

from collections.abc import Iterable
from typing import NamedTuple

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet

from lendingadmin.core.gateway.lending_apps import LendingApp
from lendingadmin.core.staff.models import AppRole, User
from lendingadmin.core.staff.roles import MANAGE_PEOPLE

_WITHIN = Q(content_type__app_label__in=("lending", "dashboard")) | Q(
    content_type__app_label="staff", content_type__model="user"
)


class RoleInApp(NamedTuple):
    """A role of a person in an app."""

    app_id: str
    role: Group


class Move(NamedTuple):
    """A role that is given or removed in an app."""

    is_given: bool
    app_id: str
    role: Group


def list_groups(manager: User) -> QuerySet[Group]:
    """Return the groups that this manager may see and give."""
    if manager.is_superuser:
        return Group.objects.all()
    return Group.objects.exclude(permissions__in=Permission.objects.exclude(_WITHIN))


def list_people(manager: User) -> QuerySet[User]:
    """Return the people that this manager may see and change."""
    if manager.is_superuser:
        return User.objects.all()
    every = {app.app_id for app in settings.LENDING_APPS}
    own = {app.app_id for app in list_apps(manager)}
    beyond = AppRole.objects.filter(
        Q(role__permissions__in=Permission.objects.exclude(_WITHIN)) | Q(app_id__in=every - own)
    )
    return User.objects.exclude(is_superuser=True).exclude(pk__in=beyond.values("person"))


def list_apps(manager: User) -> list[LendingApp]:
    """Return the apps in which this manager gives and removes roles."""
    return manager.list_apps_with(MANAGE_PEOPLE)


def list_given(person: User, manager: User) -> QuerySet[AppRole]:
    """Return the roles of a person that this manager may remove."""
    apps = [app.app_id for app in list_apps(manager)]
    return person.app_roles.filter(app_id__in=apps).select_related("role")


def is_provided(person: User) -> bool:
    """Return True if the identity provider signs the person in and decides their roles."""
    return list_provided().filter(user=person).exists()


def list_provided() -> "QuerySet[SocialAccount]":
    """Return the accounts at the identity provider; none if the settings name no provider."""
    found: QuerySet[SocialAccount] = SocialAccount.objects.filter(provider=settings.OIDC_ISSUER)
    return found if settings.OIDC_ISSUER else found.none()


def list_moves(
    person: User | None, manager: User, chosen: Iterable[RoleInApp] | None
) -> list[Move]:
    """Return the roles that a manager gives to a person, or removes, with this choice.

    `person` is None for a new person. If `chosen` is None, the roles do not change.
    """
    rows = list_given(person, manager) if person else ()
    return [] if chosen is None else compare_roles(rows, chosen)


def compare_roles(rows: Iterable[AppRole], chosen: Iterable[RoleInApp]) -> list[Move]:
    """Return the moves that change the held roles into the chosen roles."""
    held = {(one.app_id, one.role_id): one.role for one in rows}
    wanted = {(one.app_id, one.role.pk): one.role for one in chosen}
    given = [Move(True, key[0], role) for key, role in wanted.items() if key not in held]
    return given + [Move(False, key[0], role) for key, role in held.items() if key not in wanted]


def list_managing_roles() -> set[int]:
    """Return the keys of the roles that let a person manage people."""
    label, codename = MANAGE_PEOPLE.split(".", 1)
    managing = Group.objects.filter(
        permissions__codename=codename, permissions__content_type__app_label=label
    )
    return set(managing.values_list("pk", flat=True))


def gives_managing(moves: Iterable[Move]) -> bool:
    """Return True if one of these moves gives a role that lets a person manage people."""
    keys = list_managing_roles()
    return any(move.is_given and move.role.pk in keys for move in moves)


def gives_up_managing(by: User, person: User, chosen: Iterable[RoleInApp] | None) -> bool:
    """Return True if people would lose their own right to manage people, in any app.

    A superuser has this right without a role.
    """
    if chosen is None or by.pk != person.pk or person.is_superuser:
        return False
    keys = list_managing_roles()
    kept = {app_id for app_id, role in chosen if role.pk in keys}
    return any(app.app_id not in kept for app in list_apps(by))
