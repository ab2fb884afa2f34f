"""Function that updates permissions and the four groups from `roles`, after each migrate."""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import DEFAULT_DB_ALIAS, models, router

from lendingadmin.core.staff import roles
from lendingadmin.core.staff.models import DashboardRight, LendingRight


def sync_roles(*, using: str = DEFAULT_DB_ALIAS, **_signal: Any) -> None:
    """Create a permission for each right and give each of the four groups exactly its rights.

    A second run changes nothing. Permissions without a right are deleted. Groups that people made
    do not change otherwise.
    """
    if not router.allow_migrate_model(using, Permission):
        return
    by_name = _sync_permissions(LendingRight, using) | _sync_permissions(DashboardRight, using)
    for role in roles.ROLES:
        group, _ = Group.objects.using(using).get_or_create(name=role)
        group.permissions.set(by_name[name] for name in roles.list_role_rights(role))


def _sync_permissions(label: type[models.Model], using: str) -> dict[str, Permission]:
    """Create and delete the permissions of one label; return its permissions by full name."""
    meta = label._meta
    # Read from the table each time, because the manager's cache still has the rows that a test
    # deleted.
    content_type, _ = ContentType.objects.using(using).get_or_create(
        app_label=meta.app_label, model=meta.model_name or ""
    )
    held = Permission.objects.using(using).filter(content_type=content_type)
    wanted = dict(roles.list_codenames(meta.app_label))
    held.exclude(codename__in=wanted).delete()
    known = set(held.values_list("codename", flat=True))
    Permission.objects.using(using).bulk_create(
        [
            Permission(content_type=content_type, codename=codename, name=words)
            for codename, words in wanted.items()
            if codename not in known
        ],
        ignore_conflicts=True,
    )
    return {f"{meta.app_label}.{permission.codename}": permission for permission in held.all()}
