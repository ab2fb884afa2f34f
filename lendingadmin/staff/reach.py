"""How far a manager who is no superuser reaches in the admin.

A manager works with what the dashboard itself means: the rights under `lending` and `dashboard`,
and the user model's own. A person who holds more (a superuser, or somebody to whom a superuser gave
other permissions) is out of sight, because changing that person's password would be a way to
become them.
"""

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet

from lendingadmin.staff.models import User

_WITHIN = Q(content_type__app_label__in=("lending", "dashboard")) | Q(
    content_type__app_label="staff", content_type__model="user"
)


def permissions_for(manager: User) -> QuerySet[Permission]:
    """The permissions that this manager may put into a group."""
    every = Permission.objects.select_related("content_type")
    return every if manager.is_superuser else every.filter(_WITHIN)


def groups_for(manager: User) -> QuerySet[Group]:
    """The groups that this manager may see and give."""
    if manager.is_superuser:
        return Group.objects.all()
    return Group.objects.exclude(permissions__in=Permission.objects.exclude(_WITHIN))


def people_for(manager: User) -> QuerySet[User]:
    """The people whom this manager may see and change."""
    if manager.is_superuser:
        return User.objects.all()
    beyond = Permission.objects.exclude(_WITHIN)
    return (
        User.objects.exclude(is_superuser=True)
        .exclude(user_permissions__in=beyond)
        .exclude(groups__permissions__in=beyond)
    )
