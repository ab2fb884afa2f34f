"""Which roles and rights the people of a test hold."""

from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.models import Group, Permission

from lendingadmin.core.audit import record
from lendingadmin.core.staff.models import User


def give_roles(person: User, *roles: str | Group, apps: Iterable[str] | None = None) -> None:
    """Give roles in these apps, or in all that the dashboard knows."""
    every = [app.app_id for app in settings.LENDING_APPS]
    for role in roles:
        group = role if isinstance(role, Group) else Group.objects.get(name=role)
        for app_id in every if apps is None else apps:
            person.app_roles.get_or_create(app_id=app_id, role=group)


def change_account(by: User, person: User) -> None:
    """Note that a manager made the set-up link of a person, by which they could act as that one."""
    record(by, "people.setupLink", subject=person.username, outcome="made")


def take_roles(person: User) -> None:
    """Leave the person no role."""
    person.app_roles.all().delete()


def hold_only(person: User, *permissions: str, apps: Iterable[str] | None = None) -> None:
    """Leave the person these rights alone, by a role of their own."""
    take_roles(person)
    role, _made = Group.objects.get_or_create(name=f"only for {person.username}")
    names = [x.removeprefix("lending.").removeprefix("dashboard.") for x in permissions]
    role.permissions.set(Permission.objects.filter(codename__in=names))
    give_roles(person, role, apps=apps)


def group_of(person: User) -> Group:
    """The one role that a person of the cast holds."""
    return Group.objects.filter(app_roles__person=person).distinct().get()


def choose(*roles: str | Group, apps: Iterable[str] | None = None) -> list[str]:
    """What the form of a person sends for these roles, in these apps or in all."""
    every = [app.app_id for app in settings.LENDING_APPS]
    groups = [x if isinstance(x, Group) else Group.objects.get(name=x) for x in roles]
    return [f"{app_id}:{group.pk}" for app_id in apps or every for group in groups]


def chosen_for(person: User) -> list[str]:
    """What the form of a person sends for the roles that they hold."""
    return [f"{one.app_id}:{one.role_id}" for one in person.app_roles.all()]
