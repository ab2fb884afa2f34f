"""The rights of a person in each app, for pages, lists, exports, mail and the trail.

A person has a right in an app only by a role in this app; a superuser has all rights in all apps.
`person.has_perm(name, app_id)` returns True if the person has the right in this app. Without
`app_id`, the app is that of the page that the person has open (`User.app_id`). If the page belongs
to no app, the right in any app is enough.
"""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.db.models import QuerySet

from .models import AppRole, User


def list_held(person: User, app_id: str) -> set[str]:
    """Return the rights from a person's roles in an app; in any app if `app_id` is empty."""
    held = person.held_roles
    apps = [held.get(app_id, {})] if app_id else held.values()
    return {name for roles in apps for names in roles.values() for name in names}


class PermissionsBackend(AuthenticationBackend):  # type: ignore[misc]
    """Backend that signs people in as allauth does, and reads their rights from their roles."""

    def has_perm(self, user_obj: Any, perm: str, obj: str | None = None) -> bool:
        """Return True if an active person has a right in an app, or in the current page's app."""
        return user_obj.is_active and perm in list_held(user_obj, obj or user_obj.app_id)

    def get_all_permissions(self, user_obj: Any, obj: str | None = None) -> set[str]:
        """Return all rights of an active person in an app, or in the current page's app."""
        return list_held(user_obj, obj or user_obj.app_id) if user_obj.is_active else set()

    def get_user_permissions(self, user_obj: Any, obj: str | None = None) -> set[str]:
        """Return nothing, because rights come only from roles."""
        return set()

    def get_group_permissions(self, user_obj: Any, obj: str | None = None) -> set[str]:
        """Return all rights of the person, because all rights come from roles."""
        return self.get_all_permissions(user_obj, obj)

    def with_perm(
        self,
        perm: Any,
        is_active: bool | None = True,
        include_superusers: bool = True,
        obj: str | None = None,
    ) -> QuerySet[User]:
        """Return the people who have a right in an app, or in any app if `obj` is None.

        By default only active people are returned, and all superusers have the right.
        """
        label, codename = perm.split(".", 1)
        apps = [obj] if obj else [app.app_id for app in settings.LENDING_APPS]
        holding = AppRole.objects.filter(
            app_id__in=apps,
            role__permissions__codename=codename,
            role__permissions__content_type__app_label=label,
        )
        found = User.objects.filter(pk__in=holding.values("person"))
        if include_superusers:
            found |= User.objects.filter(is_superuser=True)
        return found if is_active is None else found.filter(is_active=is_active)
